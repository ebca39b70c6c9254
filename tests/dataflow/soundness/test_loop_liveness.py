"""Liveness in random programs over loops: what is not live is spoilt, and nothing misses it."""

from __future__ import annotations

from functools import cache

import pytest

from relayish import tir
from relayish.dataflow import Action, solve
from relayish.dataflow.analyses import Liveness
from relayish.errors import RelayishError
from tests.support.loop_machine import LoopMachine, State
from tests.support.sound_programs import ALWAYS, EXAMPLES, check_loops, run_on_inputs
from tests.support.tir_programs import same_bits

GARBAGE = {"b": [True, False], "i": [77, 13], "u": [77, 13], "f": [1.375, -9.5]}


@cache
def garbage(dtype, at):
    """Return something of a type: one thing at even points, another at odd ones."""
    found = dtype.numpy.type(GARBAGE[dtype.numpy.kind][at % 2])
    return found if dtype.is_float else found.item()


def spoilt(machine: LoopMachine, analysis: Liveness) -> tuple[list[object], int]:
    """Run a program while garbage is put wherever nothing is live; return how often it was."""
    graph = machine.graph
    [solution] = solve([analysis], graph)
    spoils, before = 0, None

    def spoil(point: int, state: State) -> None:
        nonlocal spoils, before
        if graph.actions[point] is Action.ENTRY:
            return
        live = solution.before(point)
        if live is before and not state.writes:
            return
        before = live
        for var in state.values:
            if var not in live:
                state.values[var] = garbage(var.dtype, point % 2)
                spoils += 1
        for buffer, cells in state.cells.items():
            if cells is not None and buffer not in live:
                cells[:] = [garbage(buffer.dtype, point % 2)] * len(cells)
                spoils += 1

    return run_on_inputs(machine, spoil), spoils


def count_spoilt(machine: LoopMachine, analysis: Liveness) -> int:
    expected = run_on_inputs(machine, lambda _point, _state: None)
    try:
        found, spoils = spoilt(machine, analysis)
    except (LookupError, RelayishError) as error:
        raise AssertionError("garbage was used") from error
    for ours, theirs in zip(found, expected, strict=True):
        assert all(map(same_bits, ours, theirs)), "garbage was used"
    return spoils


def test_what_is_not_live_is_missed_by_nothing():
    assert check_loops(count_spoilt, Liveness) > 100 * EXAMPLES


class ForgetsLoads(Liveness):
    """Unsound: memory is used by nothing."""

    def _access(self, node, live):
        return super()._access(node, live).difference(self.accessed.reads)


class KillsParts(Liveness):
    """Unsound: a store to an element is one to all of its memory."""

    def _access(self, node, live):
        kept = set(self.accessed.reads)
        killed = [place for place in self.accessed.changes if place not in kept]
        return super()._access(node, live).difference(killed)


class ForgetsConditions(Liveness):
    """Unsound: conditions use nothing."""

    def transfer_of(self, action, kind, is_tree):
        return None if kind is tir.IfThenElse else super().transfer_of(action, kind, is_tree)


@pytest.mark.parametrize("broken", [ForgetsLoads, KillsParts, ForgetsConditions])
def test_broken_transfer_is_caught(broken):
    with pytest.raises(AssertionError, match="garbage was used"):
        check_loops(count_spoilt, broken, ALWAYS)

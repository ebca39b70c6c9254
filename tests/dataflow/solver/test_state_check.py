"""What a check notices: states that are none, or change in place; joins that are none."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish.dataflow import ForwardDataFlow, Lift, MapLattice, analyses, solve
from relayish.dataflow.lattice import (
    Booleans,
    Congruences,
    Flat,
    Intervals,
    Lattice,
    MustPowerset,
    Powerset,
    Product,
    Signs,
)
from relayish.dataflow.lattice.symbols import UNREACHABLE
from relayish.errors import AnalysisError
from tests.support.seeds import seeds
from tests.support.tir_programs import random_func

FUNC = relay.parse_expr(
    "fn (%c: bool, %x: int32) { let %y = if (%c) { %x + 1 } else { %x + 2 }; %y + 3 }"
)


class Sets(Lattice[set]):
    """A lattice of Python's sets, which change."""

    top, finite_height = frozenset({"all"}), True

    @property
    def bottom(self):
        return set()

    def join(self, a, b):
        return a | b

    def meet(self, a, b):
        return a & b


def calls(transfer, given=None):
    """Return an analysis that does with states at calls what ``transfer`` does."""

    class Calls(ForwardDataFlow):
        lattice = Powerset() if given is None else given

        def visit_call(self, call, state):
            return transfer(call, state)

    return Calls()


def refused(analysis, program=FUNC):
    solve([analysis], program)  # nothing is noticed
    with pytest.raises(AnalysisError) as found:
        solve([analysis], program, check=True)
    return str(found.value)


def test_transfer_that_returns_no_state_is_named_with_its_node():
    found = refused(calls(lambda call, state: "abc" if call.args[1].data.item() == 3 else state))
    assert "the transfer returned 'abc', of type str, which is no state of Powerset()" in found
    assert "add(%y, 3" in found


def test_transfer_that_changes_its_state_in_place_is_named_with_its_node():
    def add(call, state):
        state.add(call.args[1].data.item())
        return state

    found = refused(calls(add, Sets()))
    assert "the transfer changed its state in place, from set() to {1}" in found
    assert "add(%x, 1" in found


class Box:
    """A state with something inside that changes."""

    def __init__(self, *names):
        self.names = list(names)

    def __eq__(self, other):
        return self.names == other.names

    def __hash__(self):
        return 0

    def __repr__(self):
        return f"Box({self.names})"


class Boxes(Lattice[Box]):
    finite_height = True
    top = Box("all")

    @property
    def bottom(self):
        return Box()

    def join(self, a, b):
        return Box(*sorted({*a.names, *b.names}, key=str))

    def meet(self, a, b):
        return Box(*[name for name in a.names if name in b.names])


def test_what_changes_inside_of_a_state_is_noticed():
    def note(call, state):
        made = Box(*state.names)
        state.names.append(call)  # a node, of which no copy is made
        return made

    assert "changed its state in place, from Box([])" in refused(calls(note, Boxes()))


@pytest.mark.parametrize(
    ("join", "said"),
    [
        (lambda a, b: a & b, "which is not above both; mend join of Broken()"),
        (lambda a, _: a, "which is not above both"),
        (lambda a, b: sorted(a | b), "which is no state of Broken()"),
        (lambda a, b: a.update(b) or a, "join changed its state in place"),
    ],
)
def test_join_that_is_none_is_noticed(join, said):
    class Broken(Sets):
        def join(self, a, b):
            return join(a, b)

    analysis = calls(lambda call, state: state | {call.args[1].data.item()}, Broken())
    with pytest.raises(AnalysisError, match=said.replace("(", r"\(").replace(")", r"\)")):
        solve([analysis], FUNC, check=True)


def test_analyses_of_the_library_pass_the_check():
    for seed in seeds(3):
        func = random_func(seed)
        for kind in (analyses.Liveness, analyses.ReachingDefinitions, analyses.Dominators):
            [checked], [found] = solve([kind()], func, check=True), solve([kind()], func)
            assert checked.entry == found.entry
            assert checked.exit == found.exit


def test_lattices_know_their_states():
    interval = Intervals().top
    states = {
        Booleans(): [True],
        Signs(): [Signs().top],
        Powerset(): [Powerset().bottom, Powerset().top],
        Powerset([1]): [Powerset().bottom, Powerset().top],
        MustPowerset(): [Powerset().bottom],
        Intervals(): [Intervals().bottom, interval],
        Congruences(): [Congruences().bottom, Congruences().top],
        MapLattice(Flat()): [MapLattice(Flat()).of({"x": 1}), MapLattice(Flat()).top],
        Lift(Intervals()): [UNREACHABLE, Intervals().bottom, interval],
        Product(Booleans(), Intervals()): [(True, interval), (False, Intervals().bottom)],
    }
    for lattice, known in states.items():
        assert all(map(lattice.is_state, known)), lattice
        assert not any(map(lattice.is_state, ("abc", [1], (True,), (interval, True)))), lattice
    assert Flat().is_state("abc")  # of any values

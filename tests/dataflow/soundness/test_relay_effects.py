"""Effects of random Relay programs: what evaluating a node does is among what it is said to do."""

from __future__ import annotations

import pytest

from relayish.analysis import Effect, analyse_effects
from relayish.analysis.effects import Effects
from relayish.analysis.purity import purity_of
from relayish.dataflow import Action
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, RefRead, RefWrite, Tuple
from relayish.ir.relay.module import IRModule
from tests.support.graph_machine import Activation, GraphMachine
from tests.support.sound_programs import ALWAYS, EXAMPLES, call_on_inputs, check_modules, notes_of

OPTIONS = ("ref_precision", "function_argument_precision")


class Watched(GraphMachine):
    """Tells of each node that is evaluated what happened meanwhile."""

    def __init__(self, mod: IRModule, effects: Effects) -> None:
        super().__init__(mod)
        self.effects = effects
        self.happening: list[set[tuple[Effect, object]]] = [set()]
        self.unobserved: set[object] = set()
        self.checked = 0
        self.observe = self.watch

    def watch(self, point: int, act: Activation) -> None:
        """Check what happened in a node with scopes, from where it is entered to its end."""
        node, action = self.graph.nodes[point], self.graph.actions[point]
        begun = notes_of(act).setdefault("begun", {})
        if action is Action.ENTER:
            begun[node] = len(self.happening)
            self.happening.append(set())
        elif action is Action.LEAVE and node in begun:
            del begun[node]
            self.end(node, self.effects.of(node))

    def end(self, node: Node, said: Effect) -> None:
        done = self.happening.pop()
        self.happening[-1] |= done
        for effect, ref in done:
            self.checked += 1
            if effect is Effect.WRITES and not said & (Effect.WRITES | Effect.UNKNOWN):
                self.unobserved.add(ref)  # nobody may ever read it
                continue
            assert said & (effect | Effect.UNKNOWN), f"{node} is said to do {said}"

    def _compute(self, node: Node, act: Activation) -> object:
        self.happening.append(set())
        if isinstance(node, (RefRead, RefWrite)):
            ref = self.operand(node.ref, act)
            reads = isinstance(node, RefRead)
            assert not (reads and ref in self.unobserved), "what is written counts, and is said"
            self.happening[-1].add((Effect.READS if reads else Effect.WRITES, ref))
        value = super()._compute(node, act)
        self.end(node, self.effects.of(node))
        return value

    def _apply(self, function: object, args: object) -> object:
        self.happening.append(set())
        value = super()._apply(function, args)
        procedure = getattr(function, "procedure", None)
        said = Effect.UNKNOWN if procedure is None else self.effects.of_call(procedure.node)
        self.end(function if procedure is None else procedure.node, said)
        return value


def count_effects(machine: GraphMachine, analyse: object) -> int:
    """Run a module; return how often something was done that was said."""
    mod = machine.module
    watched = Watched(mod, analyse(Tuple(tuple(mod[name] for name in mod.functions)), mod))
    call_on_inputs(watched)
    return watched.checked


@pytest.mark.parametrize("option", [None, *OPTIONS])
def test_what_is_done_is_said(option):
    options = {} if option is None else {option: True}

    def analyse(expr, mod):
        return analyse_effects(expr, mod, **options)

    assert check_modules(count_effects, lambda: analyse) > 10 * EXAMPLES


def count_pure(machine: GraphMachine, _nothing: object) -> int:
    """Return in how many functions that are said to be pure nothing was done, and nothing was."""
    mod = machine.module
    pure = {}
    for name in mod.functions:
        pure[mod[name]] = purity_of(mod[name], mod).pure_call
    seen = {function: 0 for function, is_pure in pure.items() if is_pure}

    class Pure(Watched):
        def end(self, node, said):
            if node in seen:
                seen[node] += 1
                assert not self.happening[-1], f"{node} is pure"
            super().end(node, said)

    everything = Tuple(tuple(pure))
    call_on_inputs(Pure(mod, analyse_effects(everything, mod)))
    return sum(seen.values())


def test_functions_that_are_pure_do_nothing():
    assert check_modules(count_pure, lambda: None) > EXAMPLES // 4


class ForgetsCalls(Effects):
    """Unsound: calling a function does nothing."""

    def _refine(self, order):
        found = super()._refine(order)
        self._special[Call] = lambda _call, _of: 0
        return found


class ForgetsWrites(Effects):
    """Unsound: writing does nothing."""

    def _refine(self, order):
        found = super()._refine(order)
        self._special[RefWrite] = lambda _write, _of: 0
        return found


@pytest.mark.parametrize("broken", [ForgetsCalls, ForgetsWrites])
def test_broken_rule_is_caught(broken):
    with pytest.raises(AssertionError, match="said"):
        check_modules(count_effects, lambda: broken, ALWAYS)

"""Random programs in which nodes of other packages stand everywhere come back from their text."""

from __future__ import annotations

import random
from typing import Any

from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import EVERYTHING
from relayish.ir.scopes.scoping import PROGRAM
from relayish.text import astext, parse, parse_node
from tests.support import text_kinds as kinds
from tests.support.declared import known_in_tests
from tests.support.each import each
from tests.support.foreign_kinds import ForeignKinds, random_foreign_module
from tests.support.seeds import seeds
from tests.support.text_kinds import Add, Buffer, Elem, For, Imm, Load, Range, Select, Store, TirVar

SEEDS = seeds(20)
SMALL = seeds(80)
RELAY = ForeignKinds()


_kinds = known_in_tests(kinds.DECLARED, RELAY.declared())


def distinct(roots: Any) -> int:
    """Return how many nodes a program evaluates, those that are shared once."""
    return len(PROGRAM.post_order(roots))


@each("seed", SEEDS)
def test_random_program_with_kinds_of_another_package_is_read_back(seed: int) -> None:
    mod: Any = random_foreign_module(RELAY, seed)
    text = astext(mod)
    again = parse(text)
    assert_structural_equal(again, mod)
    assert astext(again) == text


class Statements:
    """Random statements of a language of its own, with nodes, notes and variables shared at random.

    Some variables are bound twice, used outside of what binds them, or never bound.
    """

    def __init__(self, seed: int) -> None:
        self.pick = random.Random(seed)
        self.pool: list[Any] = [Imm(0)]
        self.vars: list[Any] = [TirVar("free"), TirVar('odd "name"', "int64")]
        self.notes: list[Any] = [Range(Imm(0), Imm(1))]
        self.buffers: list[Any] = [Buffer("B"), Buffer("B", (Imm(2),), Elem("int8"))]

    def variable(self) -> Any:
        if self.pick.random() < 0.8:
            self.vars.append(TirVar(self.pick.choice(("i", "j", "let", ""))))
            return self.vars[-1]
        return self.pick.choice(self.vars)

    def make(self, depth: int) -> Any:
        if depth == 0 or self.pick.random() < 0.15:
            return self.pick.choice([*self.pool[-8:], *self.vars[-4:], Imm(self.pick.randrange(9))])
        made = self.pick.choice(self.rules())(depth - 1)
        self.pool.append(made)
        return made

    def rules(self) -> list[Any]:
        return [self.add, self.let, self.loop, self.store, self.load, self.call, self.select]

    def add(self, depth: int) -> Any:
        return Add(self.make(depth), self.make(depth))

    def let(self, depth: int) -> Any:
        value = self.make(depth)
        return kinds.Let(self.variable(), value, self.make(depth))

    def loop(self, depth: int) -> Any:
        extent, var = self.make(depth), self.variable()
        return For(var, extent, tuple(self.make(depth) for _ in range(self.pick.randrange(4))))

    def store(self, depth: int) -> Any:
        return Store(self.pick.choice(self.buffers), self.make(depth), self.make(depth))

    def load(self, depth: int) -> Any:
        if self.pick.random() < 0.2:
            shape = (self.pick.choice(self.vars), self.make(0))
            self.buffers.append(Buffer("C", shape, self.pick.choice((None, Elem("f")))))
        return Load(self.pick.choice(self.buffers), self.make(depth))

    def call(self, depth: int) -> Any:
        if self.pick.random() < 0.4:
            self.notes.append(Range(self.make(0), self.make(depth)))
        args = tuple(self.make(depth) for _ in range(self.pick.randrange(3)))
        return kinds.Call("f", args, self.pick.choice((None, *self.notes[-3:])))

    def select(self, depth: int) -> Any:
        inner = kinds.Bind(self.variable()) if self.pick.random() < 0.5 else None
        return Select(kinds.Bind(self.variable(), inner), self.make(depth))


def identities(root: Node) -> int:
    """Return how many nodes there are in all, what is shared once."""
    return len(EVERYTHING.post_order(root))


@each("seed", SMALL)
def test_random_program_of_another_language_is_read_back(seed: int) -> None:
    made = Statements(seed).make(5)
    text = astext(made)
    again = parse_node(text)
    assert_structural_equal(again, made, map_free_vars=True)
    assert identities(again) == identities(made)
    assert distinct(again) == distinct(made)
    assert astext(again) == text

"""Where shared nodes of programs are computed, of kinds of whichever package."""

from __future__ import annotations

import random

import pytest

from relayish.ir.fields.roles import Runs
from relayish.ir.nodes.node import Node
from relayish.ir.relay.adt import Clause, Match, PatternTuple, PatternVar
from relayish.ir.relay.expr import Call, Constant, Function, If, Let, Tuple, Var
from relayish.ir.relay.op import intern_op
from relayish.ir.scopes.node_scopes import OUTERMOST, Scopes
from relayish.ir.scopes.scoping import free_variables, scopes
from tests.support.declared import known_in_tests
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.foreign_kinds import ForeignKinds
from tests.support.seeds import seeds

KINDS = ForeignKinds()
c, x, y, z = (Var(name) for name in "cxyz")
one = Constant(1)


_kinds = known_in_tests(KINDS.declared())


def shared() -> Tuple:
    return Tuple((x,))


class TestPlaces:
    def test_the_root_belongs_to_the_outermost_scope(self):
        root = shared()
        assert Scopes(root).scope == {root: OUTERMOST, x: OUTERMOST}

    def test_names_belong_to_no_scope(self):
        add = intern_op("add")
        assert add not in Scopes(Call(add, (x, y))).scope

    def test_both_branches_share_in_the_scope_around(self):
        node = shared()
        root = If(c, node, Tuple((node,)))
        found = Scopes(root)
        assert found.scope[node] == OUTERMOST
        assert found.lifted == {node}
        assert found.opened[root] == (1, 2)
        assert found.scope[root.false_branch] == 2

    def test_what_stands_in_one_branch_twice_stays_there(self):
        node = shared()
        root = If(c, one, Tuple((node, node)))
        found = Scopes(root)
        assert found.scope[node] == found.opened[root][1]
        assert not found.lifted

    def test_a_let_is_part_of_the_block_around(self):
        node = shared()
        let = Let(y, node, Tuple((y, node)))
        found = Scopes(Tuple((let, node)))
        assert found.scope[node] == OUTERMOST
        assert not found.lifted

    def test_scopes_that_run_once_of_a_flat_kind_are_none(self):
        let = Let(y, one, Tuple((y,)))
        assert Scopes(let, flat=(Let,)).scope[y] == OUTERMOST
        assert Scopes(let).scope[y] == Scopes(let).binding_scope[y] != OUTERMOST

    def test_what_a_statement_shares_with_its_scope_stays_in_the_statement(self):
        node, it = shared(), KINDS.it("it")
        statement = KINDS.with_(it, node, Tuple((it, node)))
        found = Scopes(KINDS.do(y, one, (statement, one)))
        assert found.scope[node] == found.scope[statement]

    def test_several_roots_belong_to_the_outermost_scope(self):
        first, second = If(c, one, x), If(c, x, one)
        found = Scopes([first, second])
        assert found.scope[first] == found.scope[second] == OUTERMOST
        assert len(found.tree.depth) == 5

    def test_what_is_not_entered_has_no_scope(self):
        inside = shared()
        func = Function((x,), inside)
        found = Scopes(Tuple((func, c)), enter=lambda node: node is not func)
        assert func in found.scope
        assert inside not in found.scope
        assert x not in found.scope

    def test_patterns_bind_in_the_scope_of_their_arm(self):
        pattern = PatternTuple((PatternVar(x), PatternTuple((PatternVar(y),))))
        match = Match(c, (Clause(PatternVar(z), z), Clause(pattern, Tuple((x, y)))))
        found = Scopes(match)
        arms = found.opened[match]
        assert [found.binding_scope[v] for v in (z, x, y)] == [arms[0], arms[1], arms[1]]
        assert [found.binder(v) for v in (z, x, y, c)] == [match, match, match, None]


class TestForeignKinds:
    def test_condition_and_body_of_a_loop_know_its_variable(self):
        node = Tuple((y,))
        loop = KINDS.while_(0, y, one, node, Tuple((node,)))
        found = Scopes(loop)
        cond, body = found.opened[loop]
        around = found.binding_scope[y]
        assert found.tree.parent[cond] == found.tree.parent[body] == around != OUTERMOST
        assert found.scope[node] == around
        assert found.block[around] == OUTERMOST
        assert found.lifted == {node}
        assert [found.runs[scope] for scope in (cond, body)] == [Runs.REPEATEDLY] * 2
        assert found.scope[one] == OUTERMOST

    def test_each_case_of_a_switch_is_a_block(self):
        cases = (KINDS.case(y, Tuple((y,))), KINDS.case(z, Tuple((z, x))))
        switch = KINDS.switch(c, cases)
        found = Scopes(switch)
        assert [found.binding_scope[v] for v in (y, z)] == list(found.opened[switch])
        assert [found.scope[case.body] for case in cases] == list(found.opened[switch])

    def test_one_case_of_two_switches_is_computed_around_both(self):
        case = KINDS.case(y, shared())
        found = Scopes(Tuple((KINDS.switch(c, (case,)), KINDS.switch(x, (case,)))))
        assert found.scope[case.body] == OUTERMOST
        assert found.lifted == {case.body}

    def test_optional_operand_that_is_absent_has_no_place(self):
        node = shared()
        assert Scopes(KINDS.opaque(0, (node,))).scope[node] == OUTERMOST
        assert Scopes(KINDS.opaque(0, (), node)).scope[node] == OUTERMOST

    def test_deferred_body_is_a_block(self):
        thunk = KINDS.thunk(y, shared())
        found = Scopes(thunk)
        assert found.runs[found.opened[thunk][0]] is Runs.DEFERRED
        assert found.block[found.binding_scope[y]] == found.binding_scope[y]

    def test_statements_share_in_the_scope_of_their_block(self):
        node = shared()
        do = KINDS.do(y, one, (Tuple((node,)), Tuple((node, y))))
        found = Scopes(do)
        assert found.scope[node] == found.opened[do][0]
        assert found.binding_scope[y] == found.opened[do][0]
        assert not found.lifted

    def test_opened_scopes_are_those_that_roles_tell(self):
        nodes = (
            If(c, x, y),
            Let(x, y, x),
            Function((x, y), x),
            Match(c, (Clause(PatternVar(x), x), Clause(PatternVar(y), y))),
            KINDS.while_(0, y, x, y, y),
            KINDS.switch(c, (KINDS.case(y, x), KINDS.case(z, x))),
            KINDS.do(y, one, (x, y)),
            KINDS.do(y, one, ()),
        )
        for node in nodes:
            found = Scopes(node)
            runs = [found.runs[scope] for scope in found.opened[node]]
            assert runs == [scope.runs for scope in scopes(node)]


class TestSize:
    @pytest.mark.deep
    def test_a_deep_nest_of_loops(self):
        node = shared()
        root: Node = node
        for _ in range(DEPTH):
            root = KINDS.while_(0, Var("v"), one, node, root)
        found = Scopes(root)
        assert found.scope[node] == found.binding_scope[root.var]
        assert max(found.tree.depth) == 2 * DEPTH

    @pytest.mark.deep
    def test_a_wide_match(self):
        node = shared()
        variables = [Var("v") for _ in range(DEPTH)]
        clauses = tuple([Clause(PatternVar(v), Tuple((v, node))) for v in variables])
        found = Scopes(match := Match(c, clauses))
        assert found.scope[node] == OUTERMOST
        assert [found.binding_scope[v] for v in variables] == list(found.opened[match])

    @pytest.mark.deep
    def test_parts_in_parts_may_be_deep_in_patterns(self):
        pattern = PatternVar(x)
        for _ in range(DEPTH):
            pattern = PatternTuple((pattern,))
        match = Match(c, (Clause(pattern, x),))
        assert Scopes(match).binding_scope == {x: 1}

    def test_a_ladder_shared_through_branches_is_looked_at_once(self):
        asked = []
        root: Node = shared()
        for _ in range(1000):
            root = If(c, root, Tuple((root, root)))
        Scopes(root, enter=lambda node: asked.append(node) or True)
        assert len(asked) == 1000


# Against a definition that says no more than what is meant


def placed_by_hand(node: Node) -> list[tuple[Node, tuple[object, ...]]]:
    """Return what a node uses, with the scopes of its own that this stands in."""
    own = id(node)
    match node:
        case Tuple(fields):
            return [(field, ()) for field in fields]
        case If(cond, true, false):
            return [(cond, ()), (true, ((own, 0),)), (false, ((own, 1),))]
        case Let(var, value, body):
            return [(each, ((own, 0),)) for each in (var, value, body)]
        case Function(params, body):
            return [(each, ((own, 0),)) for each in (*params, body)]
        case Match(data, clauses):
            arms = [(each, ((own, i),)) for i, arm in enumerate(clauses) for each in held(arm)]
            return [(data, ()), *arms]
    if isinstance(node, KINDS.while_):
        around = (own, "around")
        scoped = [(node.cond, (around, (own, 0))), (node.body, (around, (own, 1)))]
        return [(node.init, ()), (node.var, (around,)), *scoped]
    if isinstance(node, KINDS.switch):
        cases = [
            (e, ((own, i),)) for i, case in enumerate(node.cases) for e in (case.var, case.body)
        ]
        return [(node.index, ()), *cases]
    if isinstance(node, KINDS.thunk):
        return [(node.param, ((own, 0),)), (node.body, ((own, 0),))]
    return []


def held(arm: Clause) -> list[Node]:
    assert isinstance(arm.lhs, PatternVar)
    return [arm.lhs.var, arm.rhs]


def chains_by_hand(root: Node) -> dict[Node, tuple[object, ...]]:
    """Return the scopes around each node, the outermost first: those all its uses lie in."""
    order: dict[Node, None] = {}

    def visit(node: Node) -> None:
        if node not in order:
            for child, _ in placed_by_hand(node):
                visit(child)
            order[node] = None

    visit(root)
    chains: dict[Node, tuple[object, ...]] = {root: ()}
    for node in reversed(order):
        for child, inner in placed_by_hand(node):
            chain = (*chains[node], *inner)
            known = chains.get(child, chain)
            same = [a == b for a, b in zip(known, chain, strict=False)]
            chains[child] = known[: same.index(False) if False in same else len(same)]
    return chains


class Drawn:
    """Random programs; with ``sharing``, any node drawn before may stand anywhere."""

    def __init__(self, seed: int, *, sharing: bool) -> None:
        self.rng = random.Random(seed)
        self.pool: list[Node] = [x, y]
        self.sharing = sharing

    def draw(self, size: int, known: tuple[Var, ...]) -> Node:
        rng = self.rng
        if size <= 0 or rng.random() < 0.1:
            return rng.choice(self.pool if self.sharing else (*known, x, y, z))
        made = self.make(rng.randrange(7), size - 1, known)
        self.pool.append(made)
        return made

    def make(self, which: int, size: int, known: tuple[Var, ...]) -> Node:
        var, other = Var("v"), Var("w")
        draw = self.draw
        match which:
            case 0:
                return Tuple(tuple([draw(size, known) for _ in range(self.rng.randrange(4))]))
            case 1:
                return If(draw(size, known), draw(size, known), draw(size, known))
            case 2:
                return Let(var, draw(size, known), draw(size, (*known, var)))
            case 3:
                return Function((var, other), draw(size, (*known, var, other)))
            case 4:
                arms = [Clause(PatternVar(v), draw(size, (*known, v))) for v in (var, other)]
                return Match(draw(size, known), tuple(arms))
            case 5:
                scoped = [draw(size, (*known, var)) for _ in range(2)]
                return KINDS.while_(0, var, draw(size, known), *scoped)
            case _:
                cases = [KINDS.case(v, draw(size, (*known, v))) for v in (var, other)]
                return KINDS.switch(draw(size, known), tuple(cases))


@each("seed", seeds(80))
def test_shared_nodes_are_placed_where_all_their_uses_lie(seed):
    root = Drawn(seed, sharing=True).draw(5, ())
    found, chains = Scopes(root), chains_by_hand(root)
    assert found.scope.keys() == chains.keys()
    named: dict[int, tuple[object, ...]] = {}
    for node, chain in chains.items():
        scope = found.scope[node]
        assert named.setdefault(scope, chain) == chain
        assert found.tree.depth[scope] == len(chain)
    assert len(set(named.values())) == len(named)
    for node, opened in found.opened.items():
        for number, scope in enumerate(opened):
            assert named.get(scope, (*chains[node], (id(node), number)))[-1] == (id(node), number)


def free_by_hand(node: Node) -> set[Node]:
    match node:
        case Var():
            return {node}
        case Let(var, value, body):
            return (free_by_hand(value) | free_by_hand(body)) - {var}
        case Function(params, body):
            return free_by_hand(body) - set(params)
        case Match(data, clauses):
            return free_by_hand(data).union(
                *[free_by_hand(arm.rhs) - {held(arm)[0]} for arm in clauses]
            )
    if isinstance(node, KINDS.while_):
        inside = free_by_hand(node.cond) | free_by_hand(node.body)
        return free_by_hand(node.init) | inside - {node.var}
    if isinstance(node, KINDS.switch):
        cases = [free_by_hand(case.body) - {case.var} for case in node.cases]
        return free_by_hand(node.index).union(*cases)
    return set().union(*[free_by_hand(child) for child, _ in placed_by_hand(node)])


@each("seed", seeds(80))
def test_free_variables_are_those_that_scoping_leaves_free(seed):
    root = Drawn(seed, sharing=False).draw(6, ())
    assert set(free_variables(root)) == free_by_hand(root)

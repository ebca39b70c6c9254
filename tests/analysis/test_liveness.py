"""Liveness, beside programs that are run on memory that is really written over."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable

import pytest

import relayish as relay
from relayish.analysis import analyse_liveness
from relayish.dataflow import solve
from relayish.dataflow.analyses import Liveness as LiveVariables
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.passes.relay.memory.validate_inplace_update import validate_inplace_update
from tests.support.deep import let_body
from tests.support.depth import DEPTH
from tests.support.seeds import seeds

SEEDS = seeds(100)
EXP, ADD, SQUEEZE = relay.get_op("exp"), relay.get_op("add"), relay.get_op("squeeze")


def test_operands_must_be_atoms() -> None:
    x = relay.Var("x")
    with pytest.raises(relay.PassError, match="run ToANormalForm"):
        analyse_liveness(relay.Function((x,), relay.Call(EXP, (relay.Call(EXP, (x,)),))))


# Random programs, run on memory


class Memory:
    """Runs a program; a value is where it lies, with the number of the writing that made it."""

    def __init__(self) -> None:
        self.version: list[int] = []
        self.lost = False

    def new(self) -> object:
        self.version.append(0)
        return (len(self.version) - 1, 0)

    def read(self, value: object) -> None:
        if isinstance(value, list):  # a tuple, or a reference
            for item in value:
                self.read(item)
        elif isinstance(value, tuple):
            self.lost |= self.version[value[0]] != value[1]

    def overwrite(self, value: object) -> object:
        assert isinstance(value, tuple)
        self.version[value[0]] += 1
        return (value[0], self.version[value[0]])

    def after(self, var: relay.Var, env: dict[relay.Var, object]) -> None:
        """Do something after a variable was bound: nothing."""

    def run(self, expr: relay.Expr, env: dict[relay.Var, object]) -> object:
        while isinstance(expr, relay.Let):
            result = self.run(expr.value, env)
            if expr.var.may_share is not None:
                result = self.overwrite(env[expr.var.may_share])
            env[expr.var] = result
            self.after(expr.var, env)
            expr = expr.body
        if isinstance(expr, relay.Var):
            return env[expr]
        if isinstance(expr, relay.If):
            branch = expr.true_branch if env["choice"] else expr.false_branch  # type: ignore[index]
            return self.run(branch, dict(env))
        if isinstance(expr, relay.Tuple):
            return [env[field] for field in expr.fields]  # type: ignore[index]
        if isinstance(expr, relay.TupleGetItem):
            return env[expr.tuple_value][expr.index]  # type: ignore[index]
        if isinstance(expr, relay.RefCreate):
            return [env[expr.value]]  # type: ignore[index]
        if isinstance(expr, relay.RefRead):
            return env[expr.ref][0]  # type: ignore[index]
        if isinstance(expr, relay.RefWrite):
            env[expr.ref][0] = env[expr.value]  # type: ignore[index]
            return []
        assert isinstance(expr, relay.Call)
        if expr.op is SQUEEZE:
            return env[expr.args[0]]  # type: ignore[index]
        if isinstance(expr.op, relay.Var):
            func, inner = env[expr.op]  # type: ignore[index, misc]
            return self.run(func.body, dict(inner))
        for arg in expr.args:
            self.read(env[arg])  # type: ignore[index]
        return self.new()


KINDS = ("tensor",) * 2 + ("share", "alias", "view", "tuple", "item", "ref", "read", "write", "if")


def random_block(
    choose: random.Random, given: dict[str, list[relay.Var]], size: int, depth: int
) -> tuple[relay.Expr, int]:
    """Return a block of lets and how many of them ask to share memory."""
    known = {kind: list(found) for kind, found in given.items()}
    lets: list[tuple[relay.Var, relay.Expr]] = []
    asked = 0
    for index in range(size):
        kind = choose.choice(KINDS)
        tensor = choose.choice(known["tensor"])
        other = choose.choice(known["tensor"])
        var, value, makes = (
            relay.Var(f"v{depth}_{index}"),
            relay.Call(ADD, (tensor, other)),
            "tensor",
        )
        if kind == "share":
            var, asked = relay.Var(f"s{depth}_{index}", may_share=tensor), asked + 1
        elif kind == "alias":
            value = tensor
        elif kind == "view":
            value = relay.Call(SQUEEZE, (tensor,))
        elif kind == "tuple":
            value, makes = relay.Tuple((tensor, other)), "tuple"
        elif kind == "item" and known["tuple"]:
            value = relay.TupleGetItem(choose.choice(known["tuple"]), choose.randrange(2))
        elif kind == "ref":
            value, makes = relay.RefCreate(tensor), "ref"
        elif kind == "read" and known["ref"]:
            value = relay.RefRead(choose.choice(known["ref"]))
        elif kind == "write" and known["ref"]:
            value, makes = relay.RefWrite(choose.choice(known["ref"]), tensor), "unit"
        elif kind == "if" and depth < 2:
            left, more = random_block(choose, known, size // 2, depth + 1)
            right, most = random_block(choose, known, size // 2, depth + 1)
            value, asked = relay.If(relay.Constant(True), left, right), asked + more + most
        known[makes].append(var)
        lets.append((var, value))
    body: relay.Expr = choose.choice(known["tensor"])
    for var, value in reversed(lets):
        body = relay.Let(var, value, body)
    return body, asked


def random_function(seed: int) -> tuple[relay.Function, int]:
    """Return a function and how many of its variables ask to share memory."""
    params = [relay.Var("x"), relay.Var("y")]
    given: dict[str, list[relay.Var]] = {"tensor": params, "tuple": [], "ref": [], "unit": []}
    body, asked = random_block(random.Random(seed), given, 10, 0)
    return relay.Function(params, body), asked


def runs_without_loss(func: relay.Function, choice: bool) -> bool:
    memory = Memory()
    env: dict[object, object] = {param: memory.new() for param in func.params}
    env["choice"] = choice
    result = memory.run(func.body, env)  # type: ignore[arg-type]
    memory.read(result)
    return not memory.lost


def count_sharing(func: relay.Function) -> int:
    lets = [node for node in EXPRESSIONS.post_order(func) if type(node) is relay.Let]
    return sum(let.var.may_share is not None for let in lets)


def test_nothing_is_lost_where_sharing_was_allowed() -> None:
    lost = allowed = 0
    for seed in SEEDS:
        func, asked = random_function(seed)
        valid = validate_inplace_update(func)
        for choice in (False, True):
            assert runs_without_loss(valid, choice), seed
            lost += not runs_without_loss(func, choice)
        allowed += count_sharing(valid)
        assert count_sharing(valid) <= asked
    assert lost > len(SEEDS) // 4
    assert allowed > len(SEEDS) // 4


MayOverwrite = Callable[[relay.Var, relay.Var], bool]


class Clobbered(Memory):
    """Writes, where a variable was bound, over all memory that its value might be written to."""

    def __init__(self, may_overwrite: MayOverwrite) -> None:
        super().__init__()
        self.may_overwrite = may_overwrite
        self.clobbered = 0

    def after(self, var: relay.Var, env: dict[relay.Var, object]) -> None:
        over = set()
        for other, value in env.items():
            is_there = type(value) is tuple and self.version[value[0]] == value[1]
            if is_there and other is not var and self.may_overwrite(var, other):
                over.add(value[0])
        for place in over.difference(places(env[var])):
            self.version[place] += 1
            self.clobbered += 1


def places(value: object) -> list[int]:
    """Return where the tensors lie that a value consists of."""
    if isinstance(value, list):
        return [place for item in value for place in places(item)]
    assert isinstance(value, tuple)
    return [value[0]]


def clobber(func: relay.Function, may_overwrite: MayOverwrite) -> tuple[bool, int]:
    """Return whether something was lost in one of two runs, and how often memory was clobbered."""
    lost, clobbered = False, 0
    for choice in (False, True):
        memory = Clobbered(may_overwrite)
        env: dict[object, object] = {param: memory.new() for param in func.params}
        env["choice"] = choice
        memory.read(memory.run(func.body, env))  # type: ignore[arg-type]
        lost, clobbered = lost or memory.lost, clobbered + memory.clobbered
    return lost, clobbered


def test_what_may_be_overwritten_is_missed_by_nothing() -> None:
    clobbered = 0
    for seed in SEEDS:
        valid = validate_inplace_update(random_function(seed)[0])
        lost, count = clobber(valid, analyse_liveness(valid).may_overwrite)
        assert not lost, seed
        clobbered += count
    assert clobbered > len(SEEDS)


def test_value_read_from_a_reference_may_be_what_was_stored_there() -> None:
    x, y, r, a, b = (relay.Var(name) for name in "xyrab")
    body = relay.Let(a, relay.RefRead(r), relay.Let(b, relay.Call(ADD, (x, x)), y))
    func = relay.Function(
        (x, y),
        relay.Let(r, relay.RefCreate(x), relay.Let(relay.Var("u"), relay.RefWrite(r, y), body)),
    )
    found = analyse_liveness(func)
    assert not found.may_overwrite(b, a)


def test_liveness_that_knows_no_aliases_loses_values() -> None:
    lost = 0
    for seed in SEEDS:
        func = validate_inplace_update(random_function(seed)[0])
        [found] = solve([LiveVariables()], func)
        points = {var: at for at, each in found.graph.binders.items() for var in each}
        live = {var: found.after(at) for var, at in points.items()}
        lost += clobber(func, lambda var, other, live=live: other not in live[var])[0]
    assert lost > 10


# Cost and depth


@pytest.mark.deep
def test_depth_is_no_limit() -> None:
    expr: relay.Expr = (x := relay.Var("x"))
    for level in range(min(DEPTH, 30_000)):
        var = relay.Var(f"v{level}")
        expr = relay.Let(var, relay.If(relay.Constant(True), expr, x), var)
    assert analyse_liveness(relay.Function((x,), expr)).is_needed_after(var, var)
    func = relay.Function((x,), let_body(DEPTH, x))
    assert isinstance(func.body, relay.Let)
    assert analyse_liveness(func).is_needed_after(x, func.body.var)


@pytest.mark.deep
def test_chain_of_updates_of_one_memory_is_allowed_throughout() -> None:
    x = relay.Var("x")
    lets: list[relay.Var] = [x]
    for level in range(min(DEPTH, 20_000)):
        lets.append(relay.Var(f"v{level}", may_share=lets[-1]))
    body: relay.Expr = lets[-1]
    for before, var in reversed(list(itertools.pairwise(lets))):
        body = relay.Let(var, relay.Call(intern_op("exp"), (before,)), body)
    func = relay.Function((x,), body)
    assert validate_inplace_update(func) is func

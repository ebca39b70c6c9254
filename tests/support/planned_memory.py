"""Random typed programs, and running them on the storages of a memory plan."""

from __future__ import annotations

import random

import numpy as np

import relayish as relay
from relayish.analysis import MemoryPlan
from relayish.ir.relay.adt import Clause, Match, PatternTuple, PatternVar
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    If,
    Let,
    Op,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)
from relayish.ir.relay.type import RefType, TensorType, TupleType
from relayish.ir.relay.typed import type_of
from relayish.ir.scopes.scoping import binders

SHAPE = (2, 3)
SINGLE = (relay.tanh, relay.nn.relu, relay.nn.softmax, relay.negative)
KINDS = ("if", "ref", "store", "closure", "let", "match")
DOUBLE = (relay.add, relay.multiply, relay.maximum)


class Programs:
    """Makes random programs of tensors of two shapes.

    Args:
        seed: Which one.
        kinds: What stands in them beside calls.
    """

    def __init__(self, seed: int, kinds: tuple[str, ...] = KINDS) -> None:
        self.choose = random.Random(seed)
        self.kinds = kinds
        self.count = 0

    def function(self, size: int) -> Function:
        params = [relay.var(name, shape=SHAPE) for name in "xyz"]
        self.choices = [relay.var(f"c{n}", "bool") for n in range(3)]
        one = relay.const(np.ones(SHAPE, "float32"))
        body = self.block([*params, one], [], size, 0)
        made = relay.analysis.infer_type(Function((*params, *self.choices), body))
        assert isinstance(made, Function)
        return made

    def block(self, tensors: list[Expr], refs: list[Expr], size: int, depth: int) -> Expr:
        choose, tensors, refs = self.choose, list(tensors), list(refs)
        bound: list[tuple[Var, Expr]] = []
        for _ in range(size):
            a, b = choose.choice(tensors[-6:]), choose.choice(tensors)
            kind = choose.choice(
                ("single", "double", "view", "split", "stack", "tuple", *self.kinds)
            )
            made: Expr = relay.add(a, b)
            if kind == "single":
                made = choose.choice(SINGLE)(a)
            elif kind == "double":
                made = choose.choice(DOUBLE)(a, b)
            elif kind == "view":
                made = relay.reshape(relay.reshape(a, (6,)), SHAPE)
            elif kind == "split":
                halves = relay.split(a, 2, 0)
                whole = relay.concatenate(Tuple((halves[1], halves[0])), 0)
                made = choose.choice((whole, relay.add(whole, relay.add(halves[0], halves[1]))))
            elif kind == "stack":
                made = relay.sum(relay.stack(Tuple((a, b)), 0), 0)
            elif kind == "tuple":
                made = TupleGetItem(Tuple((a, b)), choose.randrange(2))
            elif kind == "if" and depth < 3:
                some = choose.sample(tensors, min(4, len(tensors)))
                inner = [self.block([*some, a, b], refs, size // 3, depth + 1) for _ in range(2)]
                made = If(choose.choice(self.choices), *inner)
            elif kind == "ref" and depth == 0:
                if not refs or choose.random() < 0.3:
                    refs.append(self.bind(bound, RefCreate(a)))
                elif choose.random() < 0.5:
                    self.bind(bound, RefWrite(choose.choice(refs), a))
                made = self.bind(bound, RefRead(choose.choice(refs))) if refs else made
            elif kind == "store" and refs:
                self.bind(bound, RefWrite(choose.choice(refs), a))
            elif kind == "closure" and depth == 0:
                made = self.closure(a, b, refs, bound)
            elif kind == "match" and depth < 3:
                made = self.match(a, b, refs, size // 3, depth + 1)
            elif kind == "let":
                made = self.bind(bound, made)
            tensors.append(made)
        body: Expr = Tuple(tuple(tensors[-2:])) if depth == 0 else tensors[-1]
        for var, value in reversed(bound):
            body = Let(var, value, body)
        return body

    def match(self, a: Expr, b: Expr, refs: list[Expr], size: int, depth: int) -> Expr:
        """Return a match of a pair, of which variables stand for the fields or for all of it."""
        first, second, whole = Var("first"), Var("second"), Var("whole")
        arms = [
            Clause(
                PatternTuple((PatternVar(first), PatternVar(second))),
                self.block([a, b, first, second], refs, size, depth),
            ),
            Clause(PatternVar(whole), self.block([a, TupleGetItem(whole, 1)], refs, size, depth)),
        ]
        self.choose.shuffle(arms)
        return Match(Tuple((b, a)), arms, complete=False)

    def closure(self, a: Expr, b: Expr, refs: list[Expr], bound: list[tuple[Var, Expr]]) -> Expr:
        """Return a call of a function that uses what is around it, or of one that is closed."""
        param, ref = relay.var("param", shape=SHAPE), Var("r", RefType(TensorType(SHAPE)))
        if refs and self.choose.random() < 0.3:
            body = self.block([param], [ref], 3, 1)
            func: Expr = Function((param, ref), body)
            if self.choose.random() < 0.5:
                func = self.bind(bound, func)
            return self.bind(bound, Call(func, (a, self.choose.choice(refs))))
        func = self.bind(bound, Function((param,), self.block([b, param], refs, 3, 1)))
        return self.bind(bound, Call(func, (a,)))

    def bind(self, bound: list[tuple[Var, Expr]], value: Expr) -> Var:
        self.count += 1
        bound.append((Var(f"v{self.count}"), value))
        return bound[-1][0]


class Tensor:
    """A tensor that was written; where to, the machine knows."""

    def __init__(self, storage: int | None) -> None:
        self.storage = storage


class Cell:
    """What a reference refers to."""

    def __init__(self, value: object) -> None:
        self.value = value


class Machine:
    """Runs a function on the storages of its plan; tells when it reads what is there no more."""

    def __init__(self, plan: MemoryPlan) -> None:
        self.plan = plan
        self.written: dict[int, Tensor] = {}
        self.reads = 0

    def run(self, choices: list[bool]) -> object:
        func = self.plan.func
        params = [p for p in func.params if not p.name_hint.startswith("c")]
        env: dict[object, object] = {}
        for param in params:
            (tensor,) = self.plan.tensors_of(param)
            env[param] = self.write(tensor.storage)
        env |= dict(zip([p for p in func.params if p not in params], choices, strict=True))
        result = self.evaluate(func.body, [env], planned=True)
        self.read(result)
        return result

    def write(self, storage: int | None) -> Tensor:
        made = Tensor(storage)
        if storage is not None:
            self.written[storage] = made
        return made

    def read(self, value: object) -> None:
        if isinstance(value, tuple):
            for part in value:
                self.read(part)
        elif isinstance(value, Tensor) and value.storage is not None:
            self.reads += 1
            assert self.written[value.storage] is value, "it was written over"

    def evaluate(self, node: Expr, env: list[dict[object, object]], *, planned: bool) -> object:
        """Return the value of ``node``; what was evaluated in the activation is not again."""
        for known in reversed(env):
            if node in known:
                return known[node]
        value = self.compute(node, env, planned)
        env[-1][node] = value
        return value

    def compute(self, node: Expr, env: list[dict[object, object]], planned: bool) -> object:
        visit = lambda each: self.evaluate(each, env, planned=planned)  # noqa: E731
        if isinstance(node, Let):
            env[-1][node.var] = visit(node.value)
            return visit(node.body)
        if isinstance(node, Constant):
            tensors = self.plan.tensors_of(node) if planned else ()
            return self.write(tensors[0].storage if tensors else None)
        if isinstance(node, If):
            return visit(node.true_branch if visit(node.cond) else node.false_branch)
        if isinstance(node, Match):
            value = visit(node.data)
            assert isinstance(value, tuple)
            pattern = node.clauses[0].lhs
            if isinstance(pattern, PatternVar):
                env[-1][pattern.var] = value
            else:
                env[-1] |= dict(zip(binders(node.clauses[0]), value, strict=True))
            return visit(node.clauses[0].rhs)
        if isinstance(node, Tuple):
            return tuple([visit(field) for field in node.fields])
        if isinstance(node, TupleGetItem):
            whole = visit(node.tuple_value)
            assert isinstance(whole, tuple)
            return whole[node.index]
        if isinstance(node, RefCreate):
            return Cell(visit(node.value))
        if isinstance(node, RefRead):
            cell = visit(node.ref)
            assert isinstance(cell, Cell)
            return cell.value
        if isinstance(node, RefWrite):
            cell = visit(node.ref)
            assert isinstance(cell, Cell)
            cell.value = visit(node.value)
            return ()
        if isinstance(node, Function):
            # a closed function evaluates all that it consists of
            return (node, env if relay.analysis.free_vars(node) else [])
        assert isinstance(node, Call)
        if not isinstance(node.op, Op):
            func, inner = visit(node.op)  # type: ignore[misc]
            given = dict(zip(func.params, [visit(arg) for arg in node.args], strict=True))
            return self.evaluate(func.body, [*inner, given], planned=False)
        args = [visit(arg) for arg in node.args]
        if node.op.name == "reshape":
            return args[0]
        return self.call(node, args, planned)

    def call(self, node: Call, args: list[object], planned: bool) -> object:
        over = self.plan.replaced_argument(node) if planned else None
        if over is not None:
            self.read(tuple(args))  # they are read before the result is written
        ty = type_of(node)
        found = [t for t in self.plan.tensors if t.expr is node] if planned else []
        count = len(ty.fields) if isinstance(ty, TupleType) else 1
        made = [self.write(found[i].storage if found else None) for i in range(count)]
        if over is None:
            self.read(tuple(args))
        return tuple(made) if isinstance(ty, TupleType) else made[0]

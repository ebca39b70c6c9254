"""What a program does, told by natural recursion: its value, and every effect of foreign kinds.

For small programs of integers and truth values, those of ``foreign_kinds``. It stands on nothing of
the library but the fields of nodes, and asks the interpreter for operators that it does not know.

A shared node is evaluated once for each time the scope is entered that all of its uses have in
common, when it is first needed there. Scopes of one node share nothing that depends on what the
node binds: each evaluates that for itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import relayish as relay
from relayish.interpreter import evaluate
from relayish.ir.kinds.callables import CALLABLES
from relayish.onnx.calls import count_outputs
from relayish.onnx.op_names import identity_of
from relayish.tir.ir.function import LoweredFunc


class Run(NamedTuple):
    """What came of a program."""

    value: Any
    trace: tuple[tuple[Any, ...], ...]


def run(mod: relay.IRModule, args: tuple[Any, ...] | None = None) -> Run:
    """Return the value of ``main`` and its effects in order, called with example arguments."""
    main = mod["main"]
    if args is None:
        args = tuple(example_argument(param, at) for at, param in enumerate(main.params))
    machine = _Machine(mod)
    value = machine.apply(machine.function("main"), args)
    return Run(value, tuple(machine.trace))


def example_argument(param: relay.Var, index: int) -> Any:
    """Return a value for a parameter of ``main``."""
    return _example(param.type_annotation, index)


def _example(ty: Any, index: int) -> Any:
    if hasattr(ty, "fields"):
        return tuple(_example(item, index + at) for at, item in enumerate(ty.fields))
    return index % 2 == 0 if ty.dtype == "bool" else index + 2


_WORD = 2**32


def _wrapped(number: int) -> int:
    return (number + _WORD // 2) % _WORD - _WORD // 2


_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: _wrapped(a + b),
    "subtract": lambda a, b: _wrapped(a - b),
    "multiply": lambda a, b: _wrapped(a * b),
    "maximum": max,
    "less": lambda a, b: a < b,
    "equal": lambda a, b: a == b,
    "greater_equal": lambda a, b: a >= b,
}


_VARIABLES = ("var", "foreign_it")
_MARKS = ("annotation.compiler_begin", "annotation.compiler_end", "on_device", "device_copy")


class _Cell:
    def __init__(self, content: Any) -> None:
        self.content = content


class _Built(NamedTuple):
    constructor: str
    fields: tuple[Any, ...]


class _Closure(NamedTuple):
    params: tuple[relay.Var, ...]
    body: relay.Expr
    key: Any
    frame: _Frame


class _Loops(NamedTuple):
    call: Callable[..., Any]


class _Frame:
    """One entry of a scope."""

    def __init__(self, parent: _Frame | None, depths: dict[relay.Expr, int] | None = None) -> None:
        self.parent = parent
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.depth_of: dict[relay.Expr, int] = parent.depth_of if depths is None else depths
        self.env: dict[relay.Expr, Any] = {}
        self.memo: dict[relay.Expr, Any] = {}
        self.is_let = False


class _Machine:
    def __init__(self, mod: relay.IRModule) -> None:
        self.mod = mod
        self.trace: list[tuple[Any, ...]] = []
        self.globals: dict[str, _Closure] = {}

    def function(self, name: str) -> _Closure | _Loops:
        if name not in self.globals:
            function = self.mod[name]
            if isinstance(function, LoweredFunc):
                return _Loops(CALLABLES[LoweredFunc].make(function, name, self.mod))
            self.globals[name] = self.evaluate(function, _Frame(None, _depths(function)))
        return self.globals[name]

    def apply(self, function: Any, args: tuple[Any, ...]) -> Any:
        if isinstance(function, _Loops):
            found = function.call(*[np.asarray(_constant(arg).data) for arg in args])
            assert np.ndim(found) == 0, "these programs compute with numbers"
            return found.item()
        assert isinstance(function, _Closure), "only functions are called"
        assert len(function.params) == len(args)
        frame = _Frame(function.frame)
        frame.env.update(zip(function.params, args, strict=True))
        return self.evaluate(function.body, frame)

    def evaluate(self, expr: relay.Expr, frame: _Frame) -> Any:
        if expr.visit_name in _VARIABLES:
            here: _Frame | None = frame
            while here is not None:
                if expr in here.env:
                    return here.env[expr]
                here = here.parent
            raise AssertionError(f"{expr!r} is not in scope")
        if isinstance(expr, relay.Constant):
            return _plain(expr.data)
        if isinstance(expr, relay.GlobalVar):
            return self.function(expr.name_hint)
        if isinstance(expr, (relay.Op, relay.Constructor)):
            return expr
        depth = frame.depth_of[expr]
        while frame.depth > depth:
            assert frame.parent is not None
            frame = frame.parent
        if expr not in frame.memo:
            frame.memo[expr] = self.handler(expr)(expr, frame)
        return frame.memo[expr]

    def handler(self, expr: relay.Expr) -> Callable[[Any, _Frame], Any]:
        name = expr.visit_name
        found: Callable[[Any, _Frame], Any] = getattr(self, f"run_{name}")
        return found

    def all(self, exprs: tuple[relay.Expr, ...], frame: _Frame) -> tuple[Any, ...]:
        return tuple([self.evaluate(expr, frame) for expr in exprs])

    def note(self, what: str, *values: Any) -> None:
        self.trace.append((what, *map(_shown, values)))

    # Relay's kinds

    def run_let(self, let: relay.Let, frame: _Frame) -> Any:
        tail: relay.Expr = let
        while isinstance(tail, relay.Let) and tail not in frame.memo:
            if tail is not let and frame.depth_of[tail] != frame.depth:
                break
            frame = _Frame(frame)
            frame.is_let = True
            frame.env[tail.var] = None  # what refers to itself finds its value there
            frame.env[tail.var] = self.evaluate(tail.value, frame)
            tail = tail.body
        return self.evaluate(tail, frame)

    def run_if(self, if_: relay.If, frame: _Frame) -> Any:
        branch = if_.true_branch if self.evaluate(if_.cond, frame) else if_.false_branch
        return self.evaluate(branch, _Frame(frame))

    def run_function(self, function: relay.Function, frame: _Frame) -> Any:
        return _Closure(function.params, function.body, function, frame)

    def run_tuple(self, tup: relay.Tuple, frame: _Frame) -> Any:
        return self.all(tup.fields, frame)

    def run_tuple_getitem(self, item: relay.TupleGetItem, frame: _Frame) -> Any:
        return self.evaluate(item.tuple_value, frame)[item.index]

    def run_call(self, call: relay.Call, frame: _Frame) -> Any:
        callee = self.evaluate(call.op, frame)
        args = self.all(call.args, frame)
        if isinstance(callee, relay.Constructor):
            return _Built(callee.name_hint, args)
        if not isinstance(callee, relay.Op):
            return self.apply(callee, args)
        if callee.name in _OPERATORS:
            return _OPERATORS[callee.name](*args)
        if callee.name in _MARKS:
            return args[0]
        if callee.name == "memory.kill":
            return ()
        identity = identity_of(callee)
        if identity is not None and identity.name == "If":
            cond, then_branch, else_branch, *captures = args
            found = self.apply(then_branch if cond else else_branch, captures)
            is_alone = type(found) is tuple and count_outputs(call.attrs) == 1
            return found[0] if is_alone else found
        return _plain(
            evaluate(relay.Call(callee, tuple([_constant(arg) for arg in args]), call.attrs))
        )

    def run_ref_create(self, ref: relay.RefCreate, frame: _Frame) -> Any:
        return _Cell(self.evaluate(ref.value, frame))

    def run_ref_read(self, read: relay.RefRead, frame: _Frame) -> Any:
        return self.evaluate(read.ref, frame).content

    def run_ref_write(self, write: relay.RefWrite, frame: _Frame) -> Any:
        cell = self.evaluate(write.ref, frame)
        cell.content = self.evaluate(write.value, frame)
        return ()

    def run_match(self, match: relay.Match, frame: _Frame) -> Any:
        data = self.evaluate(match.data, frame)
        for clause in match.clauses:
            inner = _Frame(frame)
            if _matches(clause.lhs, data, inner.env):
                return self.evaluate(clause.rhs, inner)
        raise AssertionError("no clause matches")

    # Foreign kinds

    def run_foreign_opaque(self, opaque: Any, frame: _Frame) -> Any:
        args = self.all(opaque.args, frame)
        cell = None if opaque.extra is None else self.evaluate(opaque.extra, frame)
        if isinstance(cell, _Cell):
            args = (*args, cell.content)
            cell.content = _wrapped(cell.content + opaque.tag)
        self.note("opaque", opaque.tag, *args)
        return _wrapped(opaque.tag + sum(args))

    def run_foreign_pure(self, pure: Any, frame: _Frame) -> Any:
        return _wrapped(sum(self.all(pure.args, frame)))

    def run_foreign_switch(self, switch: Any, frame: _Frame) -> Any:
        index = self.evaluate(switch.index, frame)
        case = switch.cases[index % len(switch.cases)]
        inner = _Frame(frame)
        inner.env[case.var] = index
        return self.evaluate(case.body, inner)

    def run_foreign_while(self, loop: Any, frame: _Frame) -> Any:
        value = self.run_foreign_pure_while(loop, frame)
        self.note("while", loop.tag, value)
        return value

    def run_foreign_pure_while(self, loop: Any, frame: _Frame) -> Any:
        value = self.evaluate(loop.init, frame)
        for _ in range(3):
            if not self.evaluate(loop.cond, self._entered(loop, frame, value)):
                break
            value = self.evaluate(loop.body, self._entered(loop, frame, value))
        return value

    def _entered(self, loop: Any, frame: _Frame, value: Any) -> _Frame:
        """Return a scope of the loop; what its scopes share each of them evaluates for itself."""
        known = _Frame(frame)
        known.env[loop.var] = value
        return _Frame(known)

    def run_foreign_thunk(self, thunk: Any, frame: _Frame) -> Any:
        return _Closure((thunk.param,), thunk.body, thunk, frame)

    def run_foreign_do(self, do: Any, frame: _Frame) -> Any:
        value = self.evaluate(do.value, frame)
        inner = _Frame(frame)
        inner.env[do.var] = value
        return self.all(do.statements, inner)[-1]

    def run_foreign_with(self, node: Any, frame: _Frame) -> Any:
        inner = _Frame(frame)
        inner.env[node.var] = self.evaluate(node.value, frame)
        return self.evaluate(node.body, inner)

    def run_foreign_each(self, loop: Any, frame: _Frame) -> Any:
        value = self.evaluate(loop.init, frame)
        for _ in range(3):
            inner = _Frame(frame)
            inner.env[loop.var] = value
            value = self.evaluate(loop.body, inner)
        return value

    def run_foreign_declare(self, node: Any, frame: _Frame) -> Any:
        value = frame.env[node.var] = self.evaluate(node.value, frame)
        while frame.is_let and frame.parent is not None:  # the value of a let is evaluated outside
            frame = frame.parent
            frame.env[node.var] = value
        return value

    def run_foreign_phases(self, node: Any, frame: _Frame) -> Any:
        value = self.evaluate(node.value, frame)
        first = self.evaluate(node.first, self._entered(node, frame, value))
        second = self.evaluate(node.second, self._entered(node, frame, value))
        return _wrapped(first - second)


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    return value.item() if isinstance(value, np.generic) else value


def _shown(value: Any) -> Any:
    if isinstance(value, tuple) and not isinstance(value, (_Closure, _Built)):
        return tuple(map(_shown, value))
    return value if isinstance(value, (int, float)) else type(value).__name__


def _constant(value: Any) -> relay.Expr:
    if isinstance(value, tuple):
        return relay.Tuple(tuple(map(_constant, value)))
    return relay.Constant(np.bool_(value) if isinstance(value, bool) else value)


def _matches(pattern: relay.Pattern, value: Any, env: dict[relay.Expr, Any]) -> bool:
    if isinstance(pattern, relay.PatternVar):
        env[pattern.var] = value
        return True
    if isinstance(pattern, relay.PatternConstructor):
        if value.constructor != pattern.constructor.name_hint:
            return False
        value = value.fields
    elif not isinstance(pattern, relay.PatternTuple):
        return True
    parts = zip(pattern.patterns, value, strict=True)
    return all(_matches(part, item, env) for part, item in parts)


def _depths(root: relay.Expr) -> dict[relay.Expr, int]:
    """Return how many scopes are around the place where each node below ``root`` is evaluated."""
    order: list[relay.Expr] = []
    _post_order(root, set(), order)
    paths: dict[relay.Expr, tuple[Any, ...]] = {root: ()}
    for node in reversed(order):
        for child, within in _pieces(node):
            path = (*paths[node], *within)
            paths[child] = _common(paths.get(child, path), path)
    return {node: len(path) for node, path in paths.items()}


def _post_order(node: relay.Expr, seen: set[relay.Expr], order: list[relay.Expr]) -> None:
    if node not in seen:
        seen.add(node)
        for child, _ in _pieces(node):
            _post_order(child, seen, order)
        order.append(node)


def _common(one: tuple[Any, ...], other: tuple[Any, ...]) -> tuple[Any, ...]:
    length = 0
    while length < min(len(one), len(other)) and one[length] == other[length]:
        length += 1
    return one[:length]


def _pieces(node: Any) -> list[tuple[relay.Expr, tuple[Any, ...]]]:
    """Return what a node evaluates, with the scopes that it opens around each."""
    match node.visit_name:
        case "let":
            return [(node.value, (node,)), (node.body, (node,))]
        case "if":
            branches = (node.true_branch, node.false_branch)
            return [(node.cond, ()), *[(b, ((node, at),)) for at, b in enumerate(branches)]]
        case "function" | "foreign_thunk":
            return [(node.body, (node,))]
        case "match":
            arms = [clause.rhs for clause in node.clauses]
            return [(node.data, ()), *[(arm, ((node, at),)) for at, arm in enumerate(arms)]]
        case "call":
            return [(child, ()) for child in (node.op, *node.args)]
        case "tuple":
            return [(child, ()) for child in node.fields]
        case "tuple_getitem":
            return [(node.tuple_value, ())]
        case "ref_create":
            return [(node.value, ())]
        case "ref_read":
            return [(node.ref, ())]
        case "ref_write":
            return [(node.ref, ()), (node.value, ())]
        case "foreign_opaque":
            extra = () if node.extra is None else (node.extra,)
            return [(child, ()) for child in (*node.args, *extra)]
        case "foreign_pure":
            return [(child, ()) for child in node.args]
        case "foreign_switch":
            bodies = [case.body for case in node.cases]
            return [(node.index, ()), *[(b, ((node, at),)) for at, b in enumerate(bodies)]]
        case "foreign_while" | "foreign_pure_while":
            scopes = (node.cond, node.body)
            return [(node.init, ()), *[(s, (node, (node, at))) for at, s in enumerate(scopes)]]
        case "foreign_with":
            return [(node.value, ()), (node.body, (node,))]
        case "foreign_each":
            return [(node.init, ()), (node.body, (node,))]
        case "foreign_declare":
            return [(node.value, ())]
        case "foreign_phases":
            scopes = (node.first, node.second)
            return [(node.value, ()), *[(s, (node, (node, at))) for at, s in enumerate(scopes)]]
        case "foreign_do":
            return [(node.value, ()), *[(child, (node,)) for child in node.statements]]
        case _:
            return []

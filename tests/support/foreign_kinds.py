"""Kinds of expressions as other packages declare them, random programs that hold some, and a trace.

``ForeignKinds`` are declared in Relay's language and known nowhere but by their declarations.
``random_foreign_module`` puts them into random programs. A transformation is right if it leaves
what such a program does as it was (see ``effect_trace``)::

    kinds = ForeignKinds()
    with kinds.declared():
        mod = random_foreign_module(kinds, seed)
        assert run(transform(mod)) == run(mod)
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

import relayish as relay
from relayish.analysis.infer_type.rule import TYPE_RULES, Inference, Steps
from relayish.interpreter import EVALUATORS, Capture, RefValue, Run
from relayish.interpreter.evaluator import EvaluationSteps
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Atom, Role, Runs
from relayish.ir.nodes.node import Node, declared_temporarily, field, node
from relayish.ir.relay.language import RELAY
from tests.support.random_exprs import BOOL, INT, Generator, Ty, call, to_type


class ForeignKinds:
    """One set of foreign kinds, known while :meth:`declared`; each set has its own classes.

    Attributes:
        opaque: Operands, one of them optional; may do anything.
        pure: Operands; does nothing but give their sum.
        switch: An operand, and cases: parts that bind it each, with a scope of which one runs.
        while_: A loop over a condition and a body, which know its variable; may do anything.
        pure_while: The same without an effect of its own.
        thunk: A function of one parameter, whose body is deferred.
        do: A variable, its value, and a block of statements that know it, which run in order.
        it: A kind of variable.
        with_: Such a variable, its value, and a body that knows it.
        each: Such a variable, its first value, and a body that runs three times.
        declare: A variable that stands for a value in the rest of the scope it is declared in.
        phases: A variable, and two scopes that know it and run once, its value between them.
    """

    opaque: type[Any]
    pure: type[Any]
    case: type[Any]
    switch: type[Any]
    while_: type[Any]
    pure_while: type[Any]
    thunk: type[Any]
    do: type[Any]
    it: type[Any]
    with_: type[Any]
    each: type[Any]
    declare: type[Any]
    phases: type[Any]

    def __init__(self) -> None:
        self._declared = declared_temporarily()
        with self._declared:
            self.__dict__.update(_declare())

    def declared(self) -> AbstractContextManager[None]:
        """Make the kinds known within a block."""
        return self._declared


def _declare() -> dict[str, type[Any]]:
    class CaseFamily(Node, language=RELAY, held_as=Role.PART):
        __slots__ = ()
        visit_name = "foreign_case_family"

    class Opaque(relay.Expr):
        tag: int
        args: tuple[relay.Expr, ...]
        extra: relay.Expr | None = None

    class Pure(relay.Expr):
        args: tuple[relay.Expr, ...]

    class Case(CaseFamily):
        var: relay.Var = field(binder=True)
        body: relay.Expr = field(scope=Runs.ONE_OF)

    class Switch(relay.Expr):
        index: relay.Expr
        cases: Any

    class While(relay.Expr):
        tag: int
        var: relay.Var = field(binder=True)
        init: relay.Expr
        cond: relay.Expr = field(scope=Runs.REPEATEDLY)
        body: relay.Expr = field(scope=Runs.REPEATEDLY)

    class PureWhile(relay.Expr):
        var: relay.Var = field(binder=True)
        init: relay.Expr
        cond: relay.Expr = field(scope=Runs.REPEATEDLY)
        body: relay.Expr = field(scope=Runs.REPEATEDLY)

    class Thunk(relay.Expr):
        param: relay.Var = field(binder=True)
        body: relay.Expr = field(scope=Runs.DEFERRED)

    class Do(relay.Expr):
        var: relay.Var = field(binder=True)
        value: relay.Expr
        statements: tuple[relay.Expr, ...] = field(scope=Runs.ONCE, block=True)

    class It(relay.Expr):
        label: str = field(hint=True)

    class With(relay.Expr):
        var: Any = field(binder=True)
        value: relay.Expr
        body: relay.Expr = field(scope=Runs.ONCE)

    class Each(relay.Expr):
        var: Any = field(binder=True)
        init: relay.Expr
        body: relay.Expr = field(scope=Runs.REPEATEDLY)

    class Declare(relay.Expr):
        var: relay.Var = field(binder=True, declares=True)
        value: relay.Expr

    class Phases(relay.Expr):
        first: relay.Expr = field(scope=Runs.ONCE)
        value: relay.Expr
        var: relay.Var = field(binder=True)
        second: relay.Expr = field(scope=Runs.ONCE)

    case = node("foreign_case", effect=Effect.NONE)(Case)
    # a class within a function cannot be named in an annotation that is a string
    Switch.__annotations__["cases"] = tuple[case, ...]  # type: ignore[valid-type]
    it = node("foreign_it", atom=Atom.VARIABLE)(It)
    With.__annotations__["var"] = Each.__annotations__["var"] = it
    return {
        "opaque": node("foreign_opaque")(Opaque),
        "pure": node("foreign_pure", effect=Effect.NONE)(Pure),
        "case": case,
        "switch": node("foreign_switch", effect=Effect.NONE)(Switch),
        "while_": node("foreign_while")(While),
        "pure_while": node("foreign_pure_while", effect=Effect.NONE)(PureWhile),
        "thunk": node("foreign_thunk", effect=Effect.NONE)(Thunk),
        "do": node("foreign_do", effect=Effect.NONE)(Do),
        "it": it,
        "with_": node("foreign_with", effect=Effect.NONE)(With),
        "each": node("foreign_each", effect=Effect.NONE)(Each),
        "declare": node("foreign_declare", effect=Effect.NONE)(Declare),
        "phases": node("foreign_phases", effect=Effect.NONE)(Phases),
    }


def register_types(kinds: ForeignKinds) -> None:
    """Tell type inference of the kinds."""
    rules = {
        kinds.opaque: _type_of_integer,
        kinds.pure: _type_of_integer,
        kinds.switch: _type_of_switch,
        kinds.while_: _type_of_while,
        kinds.pure_while: _type_of_while,
        kinds.thunk: _type_of_thunk,
        kinds.do: _type_of_do,
        kinds.with_: _type_of_with,
        kinds.each: _type_of_each,
        kinds.declare: _type_of_declare,
        kinds.phases: _type_of_phases,
    }
    for kind, rule in rules.items():
        TYPE_RULES.register(kind, rule)


_INT, _BOOL = to_type(INT), to_type(BOOL)


def _type_of_integer(node: Any, infer: Inference) -> relay.Type:
    for arg in node.args:
        infer.equate(_INT, arg, "operand")
    return _INT


def _type_of_switch(switch: Any, infer: Inference) -> Steps:
    infer.equate(_INT, switch.index, "index")
    for case in switch.cases:
        infer.bind(case.var, switch.index)
    first, *others = yield tuple(case.body for case in switch.cases)
    for other in others:
        infer.equate(first, other, "another case")
    return first


def _type_of_while(loop: Any, infer: Inference) -> Steps:
    infer.bind(loop.var, loop.init)
    yield loop.cond, loop.body
    infer.equate(_BOOL, loop.cond, "condition")
    return infer.bind(loop.var, loop.body, "body")


def _type_of_thunk(thunk: Any, infer: Inference) -> Steps:
    param = infer.bind(thunk.param, _INT)
    body = yield thunk.body
    return relay.FuncType((param,), body)


def _type_of_do(do: Any, infer: Inference) -> Steps:
    infer.bind(do.var, do.value)
    types = yield do.statements
    return types[-1]


def _type_of_with(node: Any, infer: Inference) -> Steps:
    infer.bind(node.var, node.value)
    return (yield node.body)


def _type_of_each(loop: Any, infer: Inference) -> Steps:
    infer.bind(loop.var, loop.init)
    yield loop.body
    return infer.bind(loop.var, loop.body, "body")


def _type_of_declare(node: Any, infer: Inference) -> relay.Type:
    return infer.bind(node.var, node.value)


def _type_of_phases(phases: Any, infer: Inference) -> Steps:
    infer.bind(phases.var, phases.value)
    yield phases.first, phases.second
    for part in (phases.first, phases.second):
        infer.equate(_INT, part, "phase")
    return _INT


def register_evaluators(kinds: ForeignKinds, note: Callable[..., None]) -> None:
    """Tell the interpreter of the kinds; ``note(what, tag, *values)`` hears of their effects."""

    def opaque(node: Any, *values: Any) -> Any:
        args = values[: len(node.args)]
        cell = values[-1] if node.extra is not None else None
        if isinstance(cell, RefValue):
            args = (*args, cell.value)
            cell.value = np.int32(cell.value + node.tag)
        note("opaque", node.tag, *args)
        return np.int32(node.tag + sum(args))

    def pure(_: Any, *values: Any) -> Any:
        return np.int32(sum(values))

    def switch(node: Any, index: Any) -> EvaluationSteps:
        case = node.cases[index % len(node.cases)]
        return (yield Run(case.body, {case.var: index}))

    def pure_while(loop: Any, value: Any) -> EvaluationSteps:
        for _ in range(3):
            if not (yield Run(loop.cond, {loop.var: value})):
                break
            value = yield Run(loop.body, {loop.var: value})
        return value

    def while_(loop: Any, value: Any) -> EvaluationSteps:
        value = yield from pure_while(loop, value)
        note("while", loop.tag, value)
        return value

    def thunk(node: Any) -> EvaluationSteps:
        return (yield Capture(node.body))

    def do(node: Any, value: Any) -> EvaluationSteps:
        values = yield Run(node.statements, {node.var: value})
        return values[-1]

    def with_(node: Any, value: Any) -> EvaluationSteps:
        return (yield Run(node.body, {node.var: value}))

    def each(loop: Any, value: Any) -> EvaluationSteps:
        for _ in range(3):
            value = yield Run(loop.body, {loop.var: value})
        return value

    def declare(_: Any, value: Any) -> Any:
        return value

    def phases(node: Any, value: Any) -> EvaluationSteps:
        first = yield Run(node.first, {node.var: value})
        second = yield Run(node.second, {node.var: value})
        return np.int32(first - second)

    rules: dict[type[Any], Callable[..., Any]] = {
        kinds.opaque: opaque,
        kinds.pure: pure,
        kinds.switch: switch,
        kinds.while_: while_,
        kinds.pure_while: pure_while,
        kinds.thunk: thunk,
        kinds.do: do,
        kinds.with_: with_,
        kinds.each: each,
        kinds.declare: declare,
        kinds.phases: phases,
    }
    for kind, rule in rules.items():
        EVALUATORS.register(kind, rule)


class _ForeignGenerator(Generator):
    """Programs of integers and truth values, in which foreign kinds stand everywhere."""

    def __init__(self, kinds: ForeignKinds, seed: object, size: int) -> None:
        super().__init__(seed, size)
        self.kinds = kinds
        self.tags = 0
        self.declares = self.random.random() < 0.3

    def tensor_type(self) -> Ty:
        return INT if self.random.random() < 0.8 else BOOL

    def data_type(self, depth: int = 2) -> Ty:
        if depth and self.random.random() < 0.15:
            count = self.random.randrange(3)
            return ("tuple", tuple(self.data_type(depth - 1) for _ in range(count)))
        return self.tensor_type()

    def number(self, dtype: str) -> Any:
        return self.random.random() < 0.5 if dtype == "bool" else self.random.randrange(-2, 8)

    def rules(self, ty: Ty) -> list[Callable[[Ty, int], relay.Expr]]:
        rules = [self.let, self.let, self.branch, self.project, self.apply, self.match_tuple]
        rules += [self.sequence, self.call_known, self.call_known, self.switch, self.do, self.with_]
        own = {
            "tensor": [self.operator] * 4,
            "tuple": [self.tuple] * 6,
            "ref": [self.ref] * 4,
            "fn": [self.function] * 12,
        }
        rules += own[ty[0]]
        if ty == INT:
            rules += [self.opaque] * 4 + [self.loop, self.thunk, self.pure, self.pure]
            rules += [self.while_, self.pure_while, self.each, self.phases]
        if self.declares:
            rules += [self.declaring_block, self.declaring_condition, self.declaring_operand]
        return rules

    def operator(self, ty: Ty, depth: int) -> relay.Expr:
        if ty == BOOL:
            name = self.random.choice(("less", "equal", "greater_equal"))
        else:
            name = self.random.choice(("add", "subtract", "multiply", "maximum"))
        return call(name, self.expr(INT, depth), self.expr(INT, depth))

    # Foreign kinds

    def tag(self) -> int:
        self.tags += 1
        return self.tags

    def ordered(self, made: relay.Expr) -> relay.Expr:
        """Bind what acts to a variable, or leave it where it stands."""
        self.effects += 1
        if self.random.random() < 0.4:
            return made
        var = self.var(INT, annotated=self.random.random() < 0.5)
        return relay.Let(var, made, var)

    def ints(self, depth: int) -> tuple[relay.Expr, ...]:
        return tuple(self.expr(INT, depth) for _ in range(self.random.randrange(3)))

    def opaque(self, ty: Ty, depth: int) -> relay.Expr:
        cells = [expr for other, expr in self.pool if other == ("ref", INT)]
        extra = self.random.choice((None, *cells, *cells))
        return self.ordered(self.kinds.opaque(self.tag(), self.ints(depth), extra))

    def pure(self, ty: Ty, depth: int) -> relay.Expr:
        return self.kinds.pure(self.ints(depth))

    def switch(self, ty: Ty, depth: int) -> relay.Expr:
        index = self.expr(INT, depth)
        cases = []
        for _ in range(self.random.randrange(1, 4)):
            var = self.var(INT, annotated=self.random.random() < 0.5)
            cases.append(self.kinds.case(var, self.scoped(ty, depth, [(INT, var)])))
        return self.kinds.switch(index, tuple(cases))

    def looping(self, depth: int) -> tuple[relay.Expr, ...]:
        var = self.var(INT, annotated=self.random.random() < 0.5)
        init = self.expr(INT, depth)
        cost, mark = self.cost, len(self.pool)
        self.pool.append((INT, var))
        cond = self.expr(BOOL, depth)
        body = self.expr(INT, depth)  # may share with the condition what depends on the variable
        del self.pool[mark:]
        self.cost += 3 * (self.cost - cost)
        return var, init, cond, body

    def while_(self, ty: Ty, depth: int) -> relay.Expr:
        return self.ordered(self.kinds.while_(self.tag(), *self.looping(depth)))

    def pure_while(self, ty: Ty, depth: int) -> relay.Expr:
        return self.kinds.pure_while(*self.looping(depth))

    def thunk(self, ty: Ty, depth: int) -> relay.Expr:
        param = self.var(INT, annotated=self.random.random() < 0.5)
        cost, before = self.cost, self.effects
        made = self.kinds.thunk(param, self.scoped(INT, depth, [(INT, param)]))
        arg = self.expr(INT, depth)
        if self.random.random() < 0.5:
            return relay.Call(made, (arg,))
        self.cost += self.cost - cost
        if self.effects > before:
            self.effects += 1
        name, first, second = relay.Var("thunk"), relay.Var("first"), relay.Var("second")
        calls = relay.Let(
            first, relay.Call(name, (arg,)), relay.Let(second, relay.Call(name, (first,)), second)
        )
        return relay.Let(name, made, calls)

    def do(self, ty: Ty, depth: int) -> relay.Expr:
        bound = self.data_type()
        value = self.expr(bound, depth)
        var = self.var(bound, annotated=self.random.random() < 0.5)
        mark = len(self.pool)
        self.pool.append((bound, var))
        others = [self.expr(self.data_type(), depth) for _ in range(self.random.randrange(3))]
        statements = (*others, self.expr(ty, depth))
        del self.pool[mark:]
        return self.kinds.do(var, value, statements)

    def declare(self, ty: Ty, depth: int) -> relay.Expr:
        """Declare a variable, which is known until the caller takes it from the pool."""
        value = self.expr(ty, depth)
        var = self.var(ty, annotated=self.random.random() < 0.5)
        self.pool.append((ty, var))
        return self.kinds.declare(var, value)

    def declaring_block(self, ty: Ty, depth: int) -> relay.Expr:
        value, var, mark = self.expr(INT, depth), self.var(INT, annotated=False), len(self.pool)
        self.pool.append((INT, var))
        count = self.random.randrange(1, 3)
        declared = [self.declare(self.data_type(), depth) for _ in range(count)]
        statements = (*declared, self.expr(INT, depth), self.expr(ty, depth))
        del self.pool[mark:]
        return self.kinds.do(var, value, statements)

    def declaring_condition(self, ty: Ty, depth: int) -> relay.Expr:
        mark = len(self.pool)
        cond = self.declare(BOOL, depth)
        made = relay.If(cond, self.scoped(ty, depth, []), self.scoped(ty, depth, []))
        del self.pool[mark:]
        return made

    def declaring_operand(self, ty: Ty, depth: int) -> relay.Expr:
        mark = len(self.pool)
        made = relay.Tuple((self.declare(self.data_type(), depth), self.expr(ty, depth)))
        del self.pool[mark:]
        return relay.TupleGetItem(made, 1)

    def phases(self, ty: Ty, depth: int) -> relay.Expr:
        value = self.expr(INT, depth)
        var = self.var(INT, annotated=self.random.random() < 0.5)
        mark = len(self.pool)
        self.pool.append((INT, var))
        first = self.expr(INT, depth)
        del self.pool[mark + 1 :]
        second = self.expr(INT, depth)
        del self.pool[mark:]
        return self.kinds.phases(first, value, var, second)

    def with_(self, ty: Ty, depth: int) -> relay.Expr:
        bound = self.function_type() if self.random.random() < 0.2 else self.data_type()
        value = self.expr(bound, depth)
        var = self.kinds.it(self.name())
        return self.kinds.with_(var, value, self.scoped(ty, depth, [(bound, var)]))

    def each(self, ty: Ty, depth: int) -> relay.Expr:
        init, var = self.expr(INT, depth), self.kinds.it(self.name())
        cost = self.cost
        made = self.kinds.each(var, init, self.scoped(INT, depth, [(INT, var)]))
        self.cost += 2 * (self.cost - cost)
        return made


def random_foreign_module(kinds: ForeignKinds, seed: int, size: int = 30) -> relay.IRModule:
    """Return a module with ``main`` and functions it may call, in which foreign kinds stand."""
    generator = _ForeignGenerator(kinds, ("foreign", seed), size)
    functions: dict[relay.GlobalVar | str, relay.Expr] = {}
    for index in range(generator.random.randrange(3)):
        generator.left = size // 3
        function, ty = generator.closed_function(generator.function_type(), 0)
        name = relay.GlobalVar(f"f{index}")
        functions[name] = function
        generator.globals.append((ty, name))
        generator.cost = 0
    generator.left = size
    params = [generator.data_type() for _ in range(generator.random.randrange(4))]
    variables = tuple(generator.var(ty, annotated=True) for ty in params)
    result = generator.data_type()
    body = generator.scoped(result, 0, list(zip(params, variables, strict=True)))
    functions["main"] = relay.Function(variables, body, to_type(result))
    return relay.IRModule(functions)

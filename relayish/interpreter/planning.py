"""Planning a function in graph form: which operators run in what order.

A function is in graph form when its body is made of parameters, constants, calls of operators,
tuples and their fields, ``let`` bindings, calls of functions in graph form (such as the fused
ones), and nodes whose evaluator needs nothing but the values of operands. What runs is then known
before anything runs: no branch depends on a value.

One walk gives every distinct node a *value*, a number, and lists the computations they come from;
tuples that only serve to have fields taken out of them, bindings and projections of known tuples
take none. Values that depend on constants alone are computed now.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np

from relayish.analysis.memory_plan import MemoryPlan, plan_memory
from relayish.errors import (
    EvaluationError,
    RelayishError,
    UnknownKindError,
    UntypedError,
    add_note,
    indefinite,
)
from relayish.interpreter.call import call_problem, default_attrs, evaluate_call, result_size
from relayish.interpreter.checked_evaluation import evaluation_of
from relayish.interpreter.evaluator import EVALUATORS, Evaluate
from relayish.interpreter.failures import refuse_projection
from relayish.interpreter.memory_reuse import reuse_memory
from relayish.interpreter.plan import CALLED, ONE, SEVERAL, Computation, Plan, allocate_registers
from relayish.interpreter.value import Evaluated, count_elements
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.fields.naming import display_name, name_of
from relayish.ir.kinds.one_line import quote
from relayish.ir.nodes.node import VARIABLES, Node
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalVar,
    Let,
    Op,
    Tuple,
    TupleGetItem,
    Var,
)
from relayish.ir.relay.module import IRModule
from relayish.ir.scopes import scoping
from relayish.op.declaration import properties

FREE_SIZE: Final = 65_536
"""How many elements a result may have to be computed while planning, however small its operands."""

_Error = TypeVar("_Error", bound=RelayishError)

Plans: TypeAlias = dict[Expr, Plan | None]
"""The plans of the functions met so far; ``None`` while one is being made."""


def make_plan(
    function: Function,
    mod: IRModule | None = None,
    bound: Mapping[Var, Evaluated] | None = None,
) -> Plan:
    """Return the plan of ``function``.

    Args:
        function: A closed function in graph form.
        mod: Where functions it calls by name are looked up.
        bound: Values of some of its parameters, or of variables free in it.

    Raises:
        EvaluationError: If it is not in graph form, or calls an operator that has no evaluation.
            A note names the expression and its span.

    Complexity:
        Linear in distinct nodes; no recursion.
    """
    plans: Plans = {function: None}
    memory: dict[Function, MemoryPlan] = {}
    makers = [_Maker(function, function, bound or {})]
    with np.errstate(all="ignore"):
        while makers:
            needed = makers[-1].advance(plans, mod)
            if needed is None:
                maker = makers.pop()
                plans[maker.key] = maker.finish(_plan_memory(maker.function, mod, memory))
                continue
            key, callee = needed
            plans[key] = None
            makers.append(_Maker(key, callee, {}))
    plan = plans[function]
    assert plan is not None
    return plan


def _plan_memory(
    function: Function, mod: IRModule | None, known: dict[Function, MemoryPlan]
) -> MemoryPlan | None:
    """Return the memory plan of a function, if types were inferred, from ``known`` if it is there.

    What it calls is planned with it, and noted there.
    """
    if function in known or function.checked_type is None:
        return known.get(function)
    try:
        pending = [plan_memory(function, mod)]
    except UntypedError:  # part of it was made anew since: memory is not used again
        return None
    while pending:
        plan = pending.pop()
        if plan.func not in known:
            known[plan.func] = plan
            pending += plan.callees.values()
    return known[function]


class _Maker:
    """Makes one plan; stops where it needs that of another function first."""

    def __init__(self, key: Expr, function: Function, bound: Mapping[Var, Evaluated]) -> None:
        self.key = key
        self.function = function
        self.known: dict[int, Evaluated] = {}  # values that are constants
        self.value_of: dict[Node, int] = {}
        self.fields_of: dict[int, tuple[int, ...]] = {}  # of tuples, by value
        self.waiting: dict[int, Tuple] = {}  # tuples no step has needed as such so far
        self.computations: list[Computation] = []
        self.operators: dict[Op, tuple[Any, int | None, Any]] = {}  # Any: a function, attributes
        self.count = 0
        self.stack: list[Expr] = [function.body]
        for var, value in bound.items():
            self.value_of[var] = self.constant(value)
        self.params = tuple([param for param in function.params if param not in bound])
        self.inputs = [self.make_value() for _ in self.params]
        self.value_of.update(zip(self.params, self.inputs, strict=True))

    def make_value(self) -> int:
        self.count += 1
        return self.count - 1

    def constant(self, value: Evaluated) -> int:
        number = self.make_value()
        self.known[number] = value
        return number

    def advance(self, plans: Plans, mod: IRModule | None) -> tuple[Expr, Function] | None:
        """Give values to what is on the stack; return the function whose plan is needed first."""
        stack, value_of = self.stack, self.value_of
        while stack:
            node = stack[-1]
            if node in value_of:
                stack.pop()
                continue
            if type(node) is Let and node.value in value_of:
                value_of[node.var] = value_of[node.value]
            missing = [part for part in _NEEDED[type(node)](node) if part not in value_of]
            if missing:
                # the first of them on top: steps stand in the order of evaluation
                stack += missing[:1] if type(node) is Let else missing[::-1]
                continue
            if type(node) is Call and type(node.op) is not Op:
                needed = _callee(node, plans, mod)
                if needed is not None:
                    return needed
            stack.pop()
            make = _PARTICULAR.get(type(node), _Maker.make_evaluated_value)
            value_of[node] = make(self, node, plans)
        return None

    def add(
        self, expr: Expr, function: Any, attrs: Any, operands: tuple[int, ...], right: int
    ) -> int:
        """Add a step; ``right`` tells how it takes its operands where they are not two."""
        if self.waiting:
            for operand in operands:
                if operand in self.waiting:
                    self.build_tuple(operand)
        value = self.count
        self.count += 1
        self.computations.append((function, attrs, right, value, operands, expr))
        return value

    def build_tuple(self, value: int) -> None:
        """Add the steps that build a tuple, and those it is made of, now that one needs it."""
        pending = [value]
        while pending:
            tup = pending[-1]
            if tup not in self.waiting:
                pending.pop()
                continue
            inner = [field for field in self.fields_of[tup] if field in self.waiting]
            if inner:
                pending += inner
                continue
            expr = self.waiting.pop(pending.pop())
            self.computations.append((_tuple, None, SEVERAL, tup, self.fields_of[tup], expr))

    def operator_call(self, call: Call, op: Op) -> int:
        known_operator = self.operators.get(op)
        if known_operator is None:
            known_operator = self.operators[op] = (
                evaluation_of(op),
                properties.num_inputs.get(op),
                default_attrs(op),
            )
        function, arity, defaults = known_operator
        if function is None or arity not in (len(call.args), None):
            raise _add_place(EvaluationError(call_problem(op, len(call.args))), call)
        attrs = defaults if call.attrs is None else call.attrs
        value_of, known = self.value_of, self.known
        operands = tuple([value_of[arg] for arg in call.args])
        if all(map(known.__contains__, operands)):
            inputs = [known[operand] for operand in operands]
            with suppress(EvaluationError):  # it is reported where it happens: in a run
                if op not in properties.stateful and _is_small(op, attrs, inputs):
                    return self.constant(evaluate_call(op, attrs, inputs))
        right = 0 if arity == 2 else ONE if arity == 1 else SEVERAL
        return self.add(call, function, attrs, operands, right)

    def function_call(self, call: Call, plans: Plans) -> int:
        plan = plans[call.op]
        assert plan is not None
        if len(plan.params) != len(call.args):
            raise _make_error(
                call,
                f"a function of {len(plan.params)} parameters is called with {len(call.args)}",
            )
        return self.add(call, plan, None, tuple([self.value_of[a] for a in call.args]), CALLED)

    def make_evaluated_value(self, node: Expr, _plans: Plans) -> int:
        """Return the value of a node whose kind has an evaluator that asks for nothing more."""
        evaluate = EVALUATORS[type(node)].evaluate
        operands = tuple([self.value_of[operand] for operand in scoping.operands(node)])
        return self.add(node, _run_evaluator, (evaluate, node), operands, SEVERAL)

    def tuple_value(self, tup: Tuple, _plans: Plans) -> int:
        fields = tuple([self.value_of[field] for field in tup.fields])
        if all(map(self.known.__contains__, fields)):
            return self.constant(tuple([self.known[field] for field in fields]))
        value = self.make_value()
        self.fields_of[value] = fields
        self.waiting[value] = tup
        return value

    def field(self, get: TupleGetItem, _plans: Plans) -> int:
        whole = self.value_of[get.tuple_value]
        fields = self.fields_of.get(whole)
        if fields is not None and 0 <= get.index < len(fields):
            return fields[get.index]
        known = self.known.get(whole)
        if isinstance(known, tuple) and 0 <= get.index < len(known):
            return self.constant(known[get.index])
        return self.add(get, _field, get.index, (whole,), ONE)

    def finish(self, memory: MemoryPlan | None) -> Plan:
        """Return the plan, with a register for every value, and memory used again as planned."""
        result = self.value_of[self.function.body]
        if result in self.waiting:
            self.build_tuple(result)
        plan = Plan(self.function, self.params)
        computations = self.computations
        if memory is not None:
            given = {*self.inputs, *self.known}
            computations = reuse_memory(computations, memory, given=given, result=result)
        allocate_registers(plan, computations, inputs=self.inputs, known=self.known, result=result)
        return plan


def _let_value(maker: _Maker, let: Let, _plans: Plans) -> int:
    return maker.value_of[let.body]


def _constant_value(maker: _Maker, constant: Constant, _plans: Plans) -> int:
    return maker.constant(constant.data)


def _call_value(maker: _Maker, call: Call, plans: Plans) -> int:
    op = call.op
    if type(op) is Op:
        return maker.operator_call(call, op)
    return maker.function_call(call, plans)


_PARTICULAR: Final[dict[type[Node], Callable[..., int]]] = {
    Constant: _constant_value,
    Call: _call_value,
    Tuple: _Maker.tuple_value,
    TupleGetItem: _Maker.field,
    Let: _let_value,
}


def _compile_needed(kind: type[Node]) -> Callable[[Any], tuple[Any, ...]]:  # Any: of that kind
    """Return what must have a value before nodes of class ``kind`` have, or what refuses them."""
    if kind is Call:
        return lambda call: call.args
    if kind is Let:
        return lambda let: (let.value, let.body)
    if kind in _PARTICULAR:
        return scoping.operands_of(kind)
    return _operands_of_evaluated


_NEEDED: Final = ByKind(_compile_needed)


def _operands_of_evaluated(node: Expr) -> tuple[Node, ...]:
    """Return the operands of a node of another package, if it needs nothing but their values."""
    kind = type(node)
    if kind in VARIABLES:
        problem = f"variable {display_name(node)} is bound outside of the function: it is a closure"
        raise _make_error(node, problem)
    try:
        evaluator = EVALUATORS[kind]
    except UnknownKindError as error:
        raise _add_place(error, node) from None
    if evaluator.evaluate is None:
        raise _make_error(
            node, f"{_describe_node(node)} is met, of a kind that graph form does not have"
        )
    if evaluator.in_steps or scoping.has_scopes(kind) or scoping.binders(node):
        raise _make_error(
            node, f"{_describe_node(node)} is met, which needs more than values of operands"
        )
    return scoping.operands(node)


def _run_evaluator(evaluator: tuple[Evaluate, Expr], *values: Evaluated) -> Evaluated:
    evaluate, node = evaluator
    return evaluate(node, *values)


def _tuple(_: object, *fields: Evaluated) -> tuple[Evaluated, ...]:
    return fields


def _field(index: int, value: Evaluated) -> Evaluated:
    if not isinstance(value, tuple) or not 0 <= index < len(value):
        refuse_projection(value, index)
    return value[index]


def _is_small(op: Op, attrs: Attrs | None, inputs: list[Evaluated]) -> bool:
    """Return whether the result takes no more room than its operands, or little."""
    size = result_size(op, attrs, inputs)
    return size <= max(FREE_SIZE, *map(count_elements, inputs), 0)


def _callee(call: Call, plans: Plans, mod: IRModule | None) -> tuple[Expr, Function] | None:
    """Return the function a call needs the plan of; ``None`` if that is there."""
    op = call.op
    if op in plans:
        if plans[op] is None:
            raise _make_error(call, "a function in graph form does not call itself")
        return None
    if isinstance(op, Function):
        return op, op
    if isinstance(op, GlobalVar) and mod is not None:
        function = mod[op]
        if isinstance(function, Function):
            return op, function
    raise _make_error(
        call, f"{_describe_node(op)} is called, which is no operator and no known function"
    )


def _describe_node(node: Expr) -> str:
    name = name_of(node)
    return f"{type(node).__name__} {name!r}" if name else indefinite(type(node))


def _make_error(node: Expr, problem: str) -> EvaluationError:
    return _add_place(
        EvaluationError(
            f"the function is not in graph form: {problem}; use create_executor(kind='debug')"
        ),
        node,
    )


def _add_place(error: _Error, node: Expr) -> _Error:
    add_note(error, f"while planning {quote(node)}")
    return error

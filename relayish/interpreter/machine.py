"""Running compiled code: one loop, with the activations on a list instead of Python's stack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from relayish.errors import EvaluationError, RelayishError
from relayish.interpreter import code as c
from relayish.interpreter import failures
from relayish.interpreter.arguments import check_argument, order_arguments
from relayish.interpreter.call import evaluate_call
from relayish.interpreter.code import UNSET, Block, Code
from relayish.interpreter.compile import compile_expr
from relayish.interpreter.emit import Entries
from relayish.interpreter.evaluator import Apply, Capture, Run
from relayish.interpreter.foreign_function import ForeignFunction
from relayish.interpreter.inputs import check_expr, check_limits, check_module
from relayish.interpreter.matching import match_pattern
from relayish.interpreter.requests import capture_scope, enter_scope
from relayish.interpreter.value import (
    SCALARS,
    Closure,
    ConstructorValue,
    Evaluated,
    RefValue,
    as_argument,
    describe,
    normalise,
)
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.nodes.node import Node
from relayish.ir.relay.adt import Constructor
from relayish.ir.relay.expr import Expr, Function, GlobalVar, Op, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import SizeVar, TensorType

MAX_DEPTH: Final = 5_000_000
"""How many calls may be under way at once, unless a caller says otherwise."""

_EVALUATING: Final = frozenset({c.EVALUATE, c.BEGIN, c.ADVANCE})
"""The instructions in which evaluators of other packages run."""

Frame = list[Any]  # Any: values, the frames further out, what is not computed yet


class Machine:
    """Evaluates expressions and applies functions, in the context of a module.

    Functions of the module are compiled when first reached and kept.

    Args:
        mod: Where global names and type definitions are looked up.
        max_depth: How many calls may be under way at once (calls in tail position do not count).
        max_calls: How many calls one evaluation may make in all; ``None`` for any number.
        check_types: Whether values of operators are compared with the types inferred of the calls.
    """

    def __init__(
        self,
        mod: IRModule | None = None,
        *,
        max_depth: int = MAX_DEPTH,
        max_calls: int | None = None,
        check_types: bool = False,
    ) -> None:
        check_module(mod)
        check_limits(max_depth, max_calls)
        self.mod = mod
        self.check_types = check_types
        self.max_depth = max_depth
        self.max_calls = max_calls
        self._globals: dict[GlobalVar, Closure | Code | ForeignFunction] = {}
        self._tags: dict[Constructor, int] = {}

    def evaluate(self, expr: Expr) -> Evaluated:
        """Return the value of ``expr``; a function gives a :class:`Closure`."""
        check_expr(expr)
        code = compile_expr(expr, check_types=self.check_types)
        with np.errstate(all="ignore"):
            return self._run(code, code.template[:])

    def apply(
        self, closure: Closure, args: Sequence[object], named: Mapping[str, object]
    ) -> Evaluated:
        """Return the value of ``closure`` on ``args``, with ``named`` by parameter name."""
        values = _arguments(closure.function, args, named)
        with np.errstate(all="ignore"):
            return self._run(closure.code, _activate(closure, values))

    def _run(self, code: Code, frame: Frame) -> Evaluated:  # noqa: PLR0915 - one loop, one place
        block = code.block
        instructions, at = block.instructions, 0
        max_depth = self.max_depth
        calls_left = -1 if self.max_calls is None else self.max_calls
        # what to go on with after a call or guarded block: block, position, frame, place of result
        control: list[tuple[Block, int, Frame, int]] = []
        try:
            while True:
                instruction = instructions[at]
                at += 1
                operation = instruction[0]
                if operation <= c.OPN:
                    if operation == c.OP2:
                        _, place, function, attrs, left, right = instruction
                        result = function(attrs, frame[left], frame[right])
                    elif operation == c.OP1:
                        _, place, function, attrs, operand = instruction
                        result = function(attrs, frame[operand])
                    else:
                        _, place, function, attrs, operands = instruction
                        result = function(attrs, *[frame[operand] for operand in operands])
                    frame[place] = result if type(result) in SCALARS else normalise(result)
                elif operation == c.LOAD:
                    _, place, path, source = instruction
                    outer = frame
                    for step in path:
                        outer = outer[step]
                    value = outer[source]
                    if value is UNSET:
                        failures.refuse_unset(block.exprs[at - 1])
                    frame[place] = value
                elif operation == c.BRANCH:
                    cond = frame[instruction[1]]
                    if type(cond) is not np.bool_:
                        failures.refuse_condition(cond)
                    if not cond:
                        at = instruction[2]
                elif operation == c.RETURN:
                    value = frame[instruction[1]]
                    if not control:
                        return value
                    block, at, frame, place = control.pop()
                    instructions = block.instructions
                    frame[place] = value
                elif operation == c.CALL or operation == c.TAIL_CALL:  # noqa: PLR1714 - faster
                    if operation == c.CALL:
                        _, place, callee, operands, attrs = instruction
                    else:
                        _, callee, operands, attrs = instruction
                        place = -1
                    closure = frame[callee]
                    values = [frame[operand] for operand in operands]
                    if type(closure) is not Closure:
                        value = self._call_other(closure, attrs, values)
                        if place >= 0:
                            frame[place] = value
                            continue
                        if not control:
                            return value
                        block, at, frame, place = control.pop()
                        instructions = block.instructions
                        frame[place] = value
                        continue
                    calls_left -= 1
                    if calls_left == -1 and self.max_calls is not None:
                        failures.refuse_more("calls", self.max_calls, "max_calls")
                    if place >= 0:
                        if len(control) >= max_depth:
                            failures.refuse_more("calls under way", max_depth, "max_depth")
                        control.append((block, at, frame, place))
                    frame = _activate(closure, values)
                    block = closure.code.block
                    instructions, at = block.instructions, 0
                elif operation == c.CLOSURE:
                    frame[instruction[1]] = Closure(instruction[2], frame, self)
                elif operation == c.MOVE:
                    frame[instruction[1]] = frame[instruction[2]]
                elif operation == c.JUMP:
                    at = instruction[1]
                elif operation == c.GLOBAL:
                    _, place, name = instruction
                    known = self._globals.get(name)
                    if known is None:
                        known = self._compile_global(name)
                    if not isinstance(known, Code):
                        frame[place] = known
                        continue
                    if len(control) >= max_depth:
                        failures.refuse_more("calls under way", max_depth, "max_depth")
                    control.append((block, at, frame, place))
                    block, frame = known.block, known.template[:]
                    instructions, at = block.instructions, 0
                elif operation == c.TUPLE:
                    frame[instruction[1]] = tuple([frame[operand] for operand in instruction[2]])
                elif operation == c.PROJECT:
                    _, place, operand, index = instruction
                    value = frame[operand]
                    if type(value) is not tuple or not 0 <= index < len(value):
                        failures.refuse_projection(value, index)
                    frame[place] = value[index]
                elif operation == c.GUARD:
                    _, path, place, guarded = instruction
                    outer = frame
                    for step in path:
                        outer = outer[step]
                    if outer[place] is UNSET:
                        control.append((block, at, frame, -1))
                        block, frame = guarded, outer
                        instructions, at = block.instructions, 0
                elif operation == c.RESUME:
                    block, at, frame, _ = control.pop()
                    instructions = block.instructions
                elif operation == c.MATCH:
                    _, operand, arms = instruction
                    value = frame[operand]
                    for pattern, places, start in arms:
                        found = match_pattern(pattern, value)
                        if found is not None:
                            for var, item in found:
                                frame[places[var]] = item
                            at = start
                            break
                    else:
                        failures.refuse_match(value, [pattern for pattern, *_ in arms])
                elif operation == c.CONSTRUCT:
                    _, place, constructor, operands = instruction
                    fields = tuple([frame[operand] for operand in operands])
                    frame[place] = ConstructorValue(self._tag(constructor), fields, constructor)
                elif operation == c.REF_CREATE:
                    frame[instruction[1]] = RefValue(frame[instruction[2]])
                elif operation == c.REF_READ:
                    reference = frame[instruction[2]]
                    if type(reference) is not RefValue:
                        failures.refuse_reference(reference, "ref_read")
                    frame[instruction[1]] = reference.value
                elif operation == c.REF_WRITE:
                    _, place, target, source = instruction
                    reference = frame[target]
                    if type(reference) is not RefValue:
                        failures.refuse_reference(reference, "ref_write")
                    reference.value = frame[source]
                    frame[place] = ()
                elif operation == c.EVALUATE:
                    _, place, evaluate, node, operands = instruction
                    values = [_require_value(frame[operand]) for operand in operands]
                    frame[place] = normalise(evaluate(node, *values))
                elif operation == c.BEGIN:
                    _, state, sent, evaluate, node, operands = instruction
                    values = [_require_value(frame[operand]) for operand in operands]
                    frame[state], frame[sent] = evaluate(node, *values), None
                elif operation == c.ADVANCE:
                    _, place, state, sent, entries = instruction
                    try:
                        asked = frame[state].send(frame[sent])
                    except StopIteration as stop:
                        frame[state] = frame[sent] = None
                        frame[place] = normalise(stop.value)
                        continue
                    at -= 1  # come back here with the value asked for
                    closure, given = self._answer(asked, frame, entries, block.exprs[at])
                    if given is None:
                        frame[sent] = closure
                        continue
                    calls_left -= 1
                    if calls_left == -1 and self.max_calls is not None:
                        failures.refuse_more("calls", self.max_calls, "max_calls")
                    if len(control) >= max_depth:
                        failures.refuse_more("calls under way", max_depth, "max_depth")
                    control.append((block, at, frame, sent))
                    frame = _activate(closure, given)
                    block = closure.code.block
                    instructions, at = block.instructions, 0
                else:
                    failures.fail(instruction[1], instruction[2])
        except RelayishError as error:
            _add_notes(error, block.exprs[at - 1], control)
            raise
        except Exception as error:
            instruction = instructions[at - 1]
            if instruction[0] in _EVALUATING:
                failed = failures.evaluator_failed(block.exprs[at - 1], error)
            elif instruction[0] <= c.OPN:
                failed = _operator_failed(block.exprs[at - 1], instruction, frame, error)
            else:
                raise
            _add_notes(failed, block.exprs[at - 1], control)
            raise failed from error

    def _call_other(
        self, callee: object, attrs: Attrs | None, values: list[Evaluated]
    ) -> Evaluated:
        """Call an operator or constructor that was passed around as a value."""
        if isinstance(callee, Op):
            return evaluate_call(callee, attrs, values)
        if isinstance(callee, ForeignFunction):
            return normalise(callee(*values))
        if isinstance(callee, Constructor):
            if len(values) != len(callee.inputs):
                raise EvaluationError(
                    f"constructor {callee.name_hint} takes {len(callee.inputs)} fields; "
                    f"found a call with {len(values)}"
                )
            return ConstructorValue(self._tag(callee), tuple(values), callee)
        raise EvaluationError(
            f"only functions, operators and constructors can be called; found {describe(callee)}"
        )

    def _answer(
        self, asked: object, frame: Frame, entries: Entries, node: Expr
    ) -> tuple[Evaluated, list[Evaluated] | None]:
        """Return what an evaluator asked for: a value, or a closure and what to call it with."""
        if isinstance(asked, Run):
            code, values = enter_scope(asked, entries, node)
            return Closure(code, frame, self), values
        if isinstance(asked, Capture):
            return capture_scope(asked, entries, frame, self, node), None
        if isinstance(asked, Apply):
            values = [normalise(value) for value in asked.args]
            if type(asked.function) is Closure:
                return asked.function, values
            return self._call_other(asked.function, None, values), None
        raise EvaluationError(
            f"the evaluator of {type(node).__name__} yielded {asked!r}; "
            f"expected Run, Capture or Apply"
        )

    def _compile_global(self, name: GlobalVar) -> Closure | Code | ForeignFunction:
        if self.mod is None:
            raise EvaluationError(
                f"@{name.name_hint} cannot be looked up: the program was evaluated without a "
                f"module; pass mod="
            )
        definition = self.mod.function_of(Node, name)
        if not isinstance(definition, Expr):
            foreign = self._globals[name] = ForeignFunction(name.name_hint, self.mod)
            return foreign
        code = compile_expr(definition, check_types=self.check_types)
        first = code.block.instructions[0]
        known: Closure | Code = code
        if first[0] == c.CLOSURE:
            known = Closure(first[2], code.template, self)
        self._globals[name] = known
        return known

    def _tag(self, constructor: Constructor) -> int:
        tag = self._tags.get(constructor)
        if tag is None:
            tag = self._tags[constructor] = constructor.tag
        return tag


def _activate(closure: Closure, values: list[Evaluated]) -> Frame:
    """Return a new frame for a call of ``closure``."""
    code = closure.code
    arity = code.arity
    if len(values) != arity:
        failures.refuse_arguments(code.function, len(values))
    frame: Frame = code.template[:]
    parent = frame[c.PARENT] = closure.frame
    frame[c.SKIP] = parent[c.SKIP][c.SKIP] if code.skips else parent  # type: ignore[index]
    if values:
        frame[c.FIRST : c.FIRST + arity] = values
    return frame


def _arguments(
    function: Function, args: Sequence[object], named: Mapping[str, object]
) -> list[Evaluated]:
    """Order what a Python caller passed as ``function`` takes it."""
    params = function.params
    if not named:
        return _as_taken(params, args)
    return _as_taken(params, order_arguments(params, args, named))


def _as_taken(params: tuple[Var, ...], values: Sequence[object]) -> list[Evaluated]:
    """Return ``values`` in the form values have; tensors are checked against their annotations."""
    sizes: dict[SizeVar, int] = {}
    taken = []
    for index, value in enumerate(values):
        param = params[index] if index < len(params) else None
        ty = None if param is None else param.type_annotation
        if param is not None and isinstance(ty, TensorType):
            checked = check_argument(param.name_hint, value, ty, sizes)
            if not isinstance(value, np.ndarray):  # which somebody may write to
                taken.append(checked)
                continue
        taken.append(as_argument(value))
    return taken


def _require_value(value: Evaluated) -> Evaluated:
    """Return the value of an operand, which a variable has only in the scope of its binder."""
    if value is UNSET:
        raise failures.out_of_scope()
    return value


def _operator_failed(
    call: Expr, instruction: c.Instruction, frame: Frame, error: Exception
) -> EvaluationError:
    """Return the error for a call of an operator that did not work."""
    given = instruction[4] if instruction[0] == c.OPN else instruction[4:]
    values = [frame[place] for place in given]
    if any(value is UNSET for value in values):
        return failures.out_of_scope()
    return failures.operator_failed(call.op, values, error)


def _add_notes(
    error: RelayishError, expr: Expr, control: list[tuple[Block, int, Frame, int]]
) -> None:
    innermost = control[: -failures.SHOWN_CALLS - 1 : -1]
    failures.add_notes(
        error, expr, [block.exprs[at - 1] for block, at, _, _ in innermost], len(control)
    )

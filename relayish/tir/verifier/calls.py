"""Calls of functions of the module: they exist, and are given what they take."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

from relayish.errors import suggest
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import Node
from relayish.ir.verification.rules import Report
from relayish.tir.ir.expr import Call
from relayish.tir.ir.family import IrNode
from relayish.tir.ir.flags import CallType
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Buffer, Parameter, Tensor
from relayish.tir.verifier.nodes import ProgramNodes
from relayish.tir.verifier.violation import Rule, typed


class Callees(NamedTuple):
    """The functions that calls of kind ``CINN`` may name.

    Attributes:
        find: Returns the definition of a name, ``None`` where there is none.
        names: All names there are.
    """

    find: Callable[[str], Node | None]
    names: Callable[[], Collection[str]]


def check_calls(nodes: ProgramNodes, callees: Callees | None, report: Report) -> None:
    """Report calls of functions that the module lacks, or that take other arguments.

    Args:
        nodes: What is verified.
        callees: The functions there are; ``None``: not known.
        report: Takes down what is found.
    """
    if callees is None:
        return
    for call in nodes.of(Call):
        if call.call_type is CallType.CINN:
            _check_call(call, callees, report)


def _check_call(call: Call, callees: Callees, report: Report) -> None:
    func = callees.find(call.name)
    if func is None:
        report(
            Rule.CALL,
            call,
            f"{one_line(call)} calls {call.name!r}, which the module does not define"
            f"{suggest(call.name, callees.names())}; define it, or call a function of the runtime "
            f"as EXTERN",
        )
        return
    if not isinstance(func, IrNode):
        return  # of another language, whose types are not those of loops
    if not isinstance(func, LoweredFunc):
        report(
            Rule.CALL,
            call,
            f"{one_line(call)} calls {call.name!r}, which is a {type(func).__name__}; expected a "
            f"LoweredFunc",
        )
        return
    given = (*call.read_args, *call.write_args)
    if len(given) != len(func.args):
        report(
            Rule.CALL,
            call,
            f"{one_line(call)} gives {call.name!r} {len(given)} arguments, and it takes "
            f"{len(func.args)}; give it one for each",
        )
        return
    for argument, parameter in zip(given, func.args, strict=True):
        _check_argument(call, argument, parameter, report)


def _check_argument(call: Call, argument: Expr, parameter: Parameter, report: Report) -> None:
    """Report an argument that is no memory where memory is taken, or of another type."""
    if not isinstance(parameter, Buffer):
        if argument.type != parameter.type or isinstance(argument, Tensor):
            report(
                Rule.CALL,
                call,
                f"{one_line(call)} gives {typed(argument)} for {typed(parameter)}; both must have "
                f"one type: cast the first",
            )
        return
    if isinstance(argument, Tensor | Buffer):
        if argument.dtype.scalar != parameter.dtype.scalar:
            report(
                Rule.CALL,
                call,
                f"{one_line(call)} gives memory of type {argument.dtype} for "
                f"{one_line(parameter)}, which holds elements of type {parameter.dtype}; give "
                f"memory of this type",
            )
    elif argument.type != parameter.type:
        report(
            Rule.CALL,
            call,
            f"{one_line(call)} gives {typed(argument)} for {one_line(parameter)}, which is memory; "
            f"give a tensor or a buffer",
        )

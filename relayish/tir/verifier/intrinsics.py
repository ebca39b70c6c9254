"""Rules of intrinsics and operations: what they are given."""

from __future__ import annotations

from typing import Final

from relayish.ir.kinds.one_line import one_line
from relayish.ir.verification.rules import VERIFY_RULES, Report
from relayish.tir.externs import Extern, find_extern
from relayish.tir.ir import intrinsic as intrinsics
from relayish.tir.ir.expr import Call, PrimitiveNode
from relayish.tir.ir.operation import CallOp, ComputeOp, PlaceholderOp, PrecedingViewOp
from relayish.tir.ir.tensor import Buffer, Load, Tensor, Var
from relayish.tir.ir.type import BUFFER_POINTER, POD_VALUE_POINTER, VOID_POINTER, Type
from relayish.tir.primitives import is_primitive
from relayish.tir.verifier.rules import is_index, is_numeric
from relayish.tir.verifier.violation import Rule, typed

_UNPACKED: Final = (
    Type("float32"),
    Type("float64"),
    Type("int32"),
    Type("int64"),
    VOID_POINTER,
    BUFFER_POINTER,
)


@VERIFY_RULES.register(intrinsics.BufferGetDataHandle)
@VERIFY_RULES.register(intrinsics.BufferGetDataConstHandle)
@VERIFY_RULES.register(intrinsics.BufferCreate)
def check_buffer_pointer(
    node: intrinsics.BufferGetDataHandle
    | intrinsics.BufferGetDataConstHandle
    | intrinsics.BufferCreate,
    report: Report,
) -> None:
    """What is asked of a buffer is asked of a buffer, or of its address."""
    found = node.buffer.type
    if found.element != BUFFER_POINTER.element or found.pointers != 1:
        report(
            Rule.TYPE,
            node,
            f"{type(node).__name__} is given {typed(node.buffer)}; expected a Buffer, or an "
            f"address of type {BUFFER_POINTER}",
        )


@VERIFY_RULES.register(intrinsics.PodValueToX)
def check_pod_value(node: intrinsics.PodValueToX, report: Report) -> None:
    """A packed argument is unpacked to a type that there is a function for."""
    found = node.pod_value_ptr.type
    if found.element != POD_VALUE_POINTER.element or found.pointers != 1:
        report(
            Rule.TYPE,
            node,
            f"PodValueToX is given {typed(node.pod_value_ptr)}; expected an address of type "
            f"{POD_VALUE_POINTER}",
        )
    if node.dtype not in _UNPACKED:
        report(
            Rule.TYPE,
            node,
            f"PodValueToX makes a value of type {node.dtype}; expected one of "
            f"{', '.join(map(str, _UNPACKED))}",
        )


@VERIFY_RULES.register(intrinsics.GetAddr)
def check_address(node: intrinsics.GetAddr, report: Report) -> None:
    """The address is taken of something that is stored."""
    if not isinstance(node.data, Load | Var | Tensor | Buffer):
        report(
            Rule.MEMORY,
            node,
            f"GetAddr takes the address of {one_line(node.data)} ({type(node.data).__name__}), "
            f"which is not stored; expected a Load, a variable, a tensor or a buffer",
        )
    elif node.data.type.pointers == 2:
        report(
            Rule.TYPE,
            node,
            f"GetAddr takes the address of {typed(node.data)}; a type has two levels of pointers "
            f"at most",
        )


@VERIFY_RULES.register(intrinsics.ArgsConstruct)
def check_packed(node: intrinsics.ArgsConstruct, report: Report) -> None:
    """Arguments are packed into an array of packed values."""
    if node.var.dtype.element != POD_VALUE_POINTER.element:
        report(
            Rule.TYPE,
            node,
            f"ArgsConstruct packs into {typed(node.var)}; expected an array of "
            f"{POD_VALUE_POINTER.element}",
        )


@VERIFY_RULES.register(intrinsics.BuiltinIntrin)
def check_builtin(node: intrinsics.BuiltinIntrin, report: Report) -> None:
    """Numbers are given to a function of the target, which it is told apart by some of."""
    for arg in node.args:
        if not (is_numeric(arg.type) or arg.type.is_pointer):
            report(
                Rule.TYPE,
                node,
                f"the intrinsic {node.name!r} is given {typed(arg)}; expected numbers",
            )
    if not 0 <= node.arg_nums <= len(node.args):
        report(
            Rule.CALL,
            node,
            f"the intrinsic {node.name!r} is told apart by {node.arg_nums} arguments, and has "
            f"{len(node.args)}; expected 0 to {len(node.args)}",
        )


@VERIFY_RULES.register(Call)
def check_call(call: Call, report: Report) -> None:
    """A call writes to memory or variables, and takes a result that may be there."""
    for arg in call.write_args:
        if not isinstance(arg, Tensor | Buffer | Var) and not arg.type.is_pointer:
            report(
                Rule.CALL,
                call,
                f"the call of {call.name!r} writes to {typed(arg)} ({type(arg).__name__}); "
                f"expected a tensor, a buffer, a variable or an address",
            )
    if call.value_index < -1:
        report(
            Rule.CALL,
            call,
            f"the call of {call.name!r} takes result {call.value_index}; expected 0 or more, or "
            f"-1 for the only one",
        )
    extern = find_extern(call.name, call.call_type)
    if extern is not None:
        _check_extern(call, extern, report)


def _check_extern(call: Call, extern: Extern, report: Report) -> None:
    """Report arguments and results that a function does not have that is known."""
    for verb, held, wanted in (
        ("reads", call.read_args, extern.arity),
        ("writes", call.write_args, extern.writes),
    ):
        if wanted is not None and len(held) != wanted:
            report(
                Rule.CALL,
                call,
                f"{one_line(call)} {verb} {len(held)} arguments, and {call.name!r} {verb} "
                f"{wanted}; give "
                f"it as many",
            )
            return
    types = [arg.type for arg in call.read_args]
    if not types:
        return
    result = extern.type_rule(types)
    if result is None:
        given = ", ".join(map(str, types))
        report(
            Rule.CALL,
            call,
            f"{one_line(call)} gives {call.name!r} arguments of type {given}, which it does not "
            f"take; "
            f"cast them",
        )
    elif result != call.dtype:
        report(
            Rule.CALL,
            call,
            f"{one_line(call)} is said to be of type {call.dtype}, and {call.name!r} gives "
            f"{result}; say "
            f"that, and cast the value",
        )


@VERIFY_RULES.register(PrimitiveNode)
def check_primitive(node: PrimitiveNode, report: Report) -> None:
    """It is known what a coarse operator stands for."""
    if not is_primitive(node.name):
        report(
            Rule.CALL,
            node,
            f"nobody said what the primitive {node.name!r} stands for; call "
            f"tir.PRIMITIVES.register({node.name!r}, rule)",
        )


@VERIFY_RULES.register(PlaceholderOp)
def check_placeholder(operation: PlaceholderOp, report: Report) -> None:
    """An input has a shape of integers."""
    _check_shape(operation, report)


@VERIFY_RULES.register(ComputeOp)
def check_compute(operation: ComputeOp, report: Report) -> None:
    """A computation has an axis for each dimension, and a value."""
    _check_shape(operation, report)
    if len(operation.axis) != len(operation.shape):
        report(
            Rule.OPERATION,
            operation,
            f"ComputeOp {operation.name!r} has {len(operation.axis)} axes and "
            f"{len(operation.shape)} dimensions; give each dimension one",
        )
    for axis in operation.axis:
        if not is_index(axis.dtype):
            report(
                Rule.OPERATION,
                operation,
                f"axis {typed(axis)} of ComputeOp {operation.name!r} counts; expected int32 or "
                f"int64",
            )
    if not operation.body:
        report(
            Rule.OPERATION,
            operation,
            f"ComputeOp {operation.name!r} computes nothing; give it a body for each result",
        )


def _check_shape(operation: PlaceholderOp | ComputeOp, report: Report) -> None:
    for size in operation.shape:
        if not is_index(size.type):
            report(
                Rule.OPERATION,
                operation,
                f"a dimension of {type(operation).__name__} {operation.name!r} is {typed(size)}; "
                f"expected int32 or int64: cast it",
            )


@VERIFY_RULES.register(CallOp)
def check_call_op(operation: CallOp, report: Report) -> None:
    """A result of a call is one of those it has."""
    if operation.value_slot < -1:
        report(
            Rule.OPERATION,
            operation,
            f"CallOp {operation.name!r} takes result {operation.value_slot}; expected 0 or more, "
            f"or -1 for the only one",
        )


@VERIFY_RULES.register(PrecedingViewOp)
def check_view(operation: PrecedingViewOp, report: Report) -> None:
    """A view of a tensor is by some of its axes."""
    rank = len(operation.tensor.shape)
    if not 0 <= operation.preceding_axis <= rank:
        report(
            Rule.OPERATION,
            operation,
            f"PrecedingViewOp {operation.name!r} views tensor {operation.tensor.name} by its axes "
            f"up to {operation.preceding_axis}, and it has {rank}; expected 0 to {rank}",
        )

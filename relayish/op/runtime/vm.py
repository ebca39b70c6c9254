"""The operators of Relay's virtual machine."""

from __future__ import annotations

from relayish.errors import TypeInferenceError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.relay.type import FuncType, IncompleteType, TensorType, TupleType, Type
from relayish.op.builders.builder import namespace
from relayish.op.declaration.registry import register_op
from relayish.op.declaration.relation import TypeReporter
from relayish.op.tensor.shape import shape_of_type
from relayish.op.types.dimension import show_type
from relayish.op.types.fields import Dimension
from relayish.op.types.type_rules import sizes, tensor
from relayish.op.values.evaluation import Parameters

__getattr__, __dir__ = namespace("vm")


@attrs("relay.attrs.ReshapeTensorAttrs")
class ReshapeTensorAttrs(Attrs):
    """Attributes of ``vm.reshape_tensor``."""

    newshape: tuple[Dimension, ...]


def _reshape_tensor_type(attrs: ReshapeTensorAttrs, data: Type, shape: Type) -> TensorType:
    tensor(shape, "shape")
    return TensorType(sizes(attrs.newshape, "newshape"), tensor(data, "data").dtype)


def _invoke_tvm_op_relation(
    _: Parameters, types: tuple[Type, ...], reporter: TypeReporter
) -> Type | None:
    func, ins, outs = types
    if isinstance(func, IncompleteType):
        return None
    if not isinstance(func, FuncType):
        raise TypeInferenceError(f"op must be a function; found {show_type(func)}")
    results = func.ret_type if isinstance(func.ret_type, TupleType) else TupleType((func.ret_type,))
    reporter.assign(ins, TupleType(func.arg_types))
    reporter.assign(outs, results)
    return TupleType(())


register_op(
    "vm.shape_of",
    arguments=("tensor",),
    signature="expr, dtype='int64'",
    description="""
    Give the shape of a tensor.
    expr (d0, ..., dk) -> (k + 1,) of dtype
    """,
    rule=shape_of_type,
    non_computational=True,
)
register_op(
    "vm.reshape_tensor",
    description="""
    Give a tensor another shape without a copy.
    data (...); shape (k,) of integers -> newshape
    """,
    rule=_reshape_tensor_type,
    non_computational=True,
    view=True,
)
register_op(
    "vm.invoke_tvm_op",
    arguments=("op", "ins", "outs"),
    signature="func, inputs, outputs",
    description="""
    Call a lowered operator on memory that is there.
    func a function; inputs a tuple; outputs a tuple -> the empty tuple
    """,
    relation=_invoke_tvm_op_relation,
    stateful=True,
    non_computational=True,
)

"""Intrinsics: what compiled functions ask of the runtime."""

from __future__ import annotations

from operator import attrgetter

from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Access
from relayish.ir.nodes.node import field, node
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Var
from relayish.tir.ir.type import POD_VALUE_POINTER, VOID, VOID_POINTER, Type, as_type


class IntrinsicOp(Expr, Stmt):
    """CINN's ``IntrinsicOp``: an operation on buffers and packed arguments."""

    __slots__ = ()
    visit_name = "intrinsic_op"


@node("buffer_get_data_handle", effect=Effect.NONE, graph_node=False)
class BufferGetDataHandle(IntrinsicOp):
    """The address of the data of ``buffer``."""

    buffer: Expr

    derive_type = staticmethod(lambda _: VOID_POINTER)


@node("buffer_get_data_const_handle", effect=Effect.NONE, graph_node=False)
class BufferGetDataConstHandle(IntrinsicOp):
    """The address of the data of ``buffer``, to read only."""

    buffer: Expr

    derive_type = staticmethod(lambda _: VOID_POINTER._replace(is_const=True))


@node("pod_value_to_x", effect=Effect.NONE, graph_node=False)
class PodValueToX(IntrinsicOp):
    """The packed argument ``pod_value_ptr`` as a value of ``dtype``."""

    pod_value_ptr: Expr
    dtype: Type = field(convert=as_type)

    derive_type = attrgetter("dtype")


@node("buffer_create", effect=Effect.STATE, graph_node=False)
class BufferCreate(IntrinsicOp):
    """Make the structure that describes ``buffer``; its memory is a matter of ``Alloc``."""

    buffer: Expr = field(access=Access.WRITE)

    derive_type = staticmethod(lambda _: VOID)


@node("get_addr", effect=Effect.NONE, graph_node=False)
class GetAddr(IntrinsicOp):
    """The address of ``data``."""

    data: Expr

    @staticmethod
    def derive_type(node: GetAddr) -> Type:
        """Return the type of the address of such a value."""
        found = node.data.type
        return found if found.pointers == 2 else found.pointer_to()


@node("args_construct", effect=Effect.STATE, graph_node=False)
class ArgsConstruct(IntrinsicOp):
    """Pack ``args`` into the array ``var``; its value is the address of the array."""

    var: Var = field(access=Access.WRITE)
    args: tuple[Expr, ...]

    derive_type = staticmethod(lambda _: POD_VALUE_POINTER)


@node("builtin_intrin", effect=Effect.NONE, graph_node=False)
class BuiltinIntrin(IntrinsicOp):
    """A function that the compiler of the target knows by name, such as ``sqrt``.

    Attributes:
        id: The number by which that compiler knows it.
        arg_nums: How many arguments tell overloads of it apart.
    """

    name: str
    args: tuple[Expr, ...]
    dtype: Type = field(convert=as_type)
    id: int = -1
    arg_nums: int = 0

    derive_type = attrgetter("dtype")

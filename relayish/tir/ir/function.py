"""Functions and modules of the loop IR."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from relayish.errors import FieldError
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.domains.property import Property
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Runs
from relayish.ir.nodes.node import field, node
from relayish.tir.ir.family import ExprNode, Stmt
from relayish.tir.ir.flags import ArgumentIO, DeviceAPI
from relayish.tir.ir.target import UNKNOWN_TARGET, Target
from relayish.tir.ir.tensor import Buffer, Parameter, Tensor


class CudaAxisInfo(NamedTuple):
    """The sizes of the grid and of its blocks, x, y and z, for a kernel."""

    grid: tuple[int, int, int] = (1, 1, 1)
    block: tuple[int, int, int] = (1, 1, 1)


def _as_parameters(given: Iterable[Parameter | Tensor]) -> tuple[Parameter, ...]:
    """Return parameters; a tensor stands for its buffer."""
    found: list[Parameter] = []
    for each in given:
        parameter = each.buffer if isinstance(each, Tensor) else each
        if not isinstance(parameter, Parameter):
            raise FieldError(
                f"the args of a function are buffers, scalars, and tensors that have a buffer; "
                f"found {each!r}"
            )
        found.append(parameter)
    return tuple(found)


@node("lowered_func", effect=Effect.NONE, graph_node=False, properties=Property.ENTRY)
class LoweredFunc(ExprNode):
    """A function: a kernel, or what calls kernels.

    Attributes:
        args: The buffers and scalars it is given; a tensor stands for its buffer.
        temp_bufs: The buffers it allocates: each where an ``Alloc`` says so, else for all of it.
        args_io: Which arguments it reads and writes, in order; none: not said.
    """

    name: str
    args: tuple[Parameter, ...] = field(binder=True, convert=_as_parameters)
    body: Stmt = field(scope=Runs.DEFERRED)
    temp_bufs: tuple[Buffer, ...] = field(default=(), binder=True)
    args_io: tuple[ArgumentIO, ...] = ()
    device_api: DeviceAPI = DeviceAPI.UNK
    cuda_axis_info: CudaAxisInfo | None = None
    attrs: DictAttrs | None = None


@node("module", effect=Effect.NONE, graph_node=False, properties=Property.NOT_EXEC)
class Module(ExprNode):
    """CINN's ``_Module_``: what is compiled together.

    Attributes:
        buffers: Memory that all of its functions, and its submodules, share.
        submodules: Modules of their own names, which know these buffers as well.
    """

    name: str
    target: Target = UNKNOWN_TARGET
    buffers: tuple[Buffer, ...] = field(default=(), binder=True)
    functions: tuple[LoweredFunc, ...] = field(default=(), scope=Runs.DEFERRED)
    submodules: tuple[Module, ...] = field(default=(), scope=Runs.DEFERRED)

# What type checkers see of relayish.tir.ir.function: generated from the kinds it declares.
# fmt: off
# mypy: disable-error-code="assignment, misc, override"
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false
import collections.abc as _collections_abc
import relayish.ir.nodes.span as _relayish_ir_nodes_span
import relayish.tir.ir.target as _relayish_tir_ir_target
import typing as _typing
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
    grid: tuple[int, int, int] = ...
    block: tuple[int, int, int] = ...
@node('lowered_func', effect=Effect.NONE, graph_node=False, properties=Property.ENTRY)
class LoweredFunc(ExprNode):
    """A function: a kernel, or what calls kernels.

    Attributes:
        args: The buffers and scalars it is given; a tensor stands for its buffer.
        temp_bufs: The buffers it allocates: each where an ``Alloc`` says so, else for all of it.
        args_io: Which arguments it reads and writes, in order; none: not said.
    """
    name: str
    args: tuple[Parameter, ...]
    body: Stmt
    temp_bufs: tuple[Buffer, ...]
    args_io: tuple[ArgumentIO, ...]
    device_api: DeviceAPI
    cuda_axis_info: CudaAxisInfo | None
    attrs: DictAttrs | None
    __getattr__: None  # it is known what a kind has
    def __init__(self, name: str, args: Iterable[Parameter | Tensor], body: Stmt, temp_bufs: _collections_abc.Sequence[Buffer] | None = (), args_io: _collections_abc.Sequence[ArgumentIO] | None = (), device_api: DeviceAPI = ..., cuda_axis_info: CudaAxisInfo | tuple[tuple[int, int, int], tuple[int, int, int]] | None = None, attrs: DictAttrs | _collections_abc.Mapping[str, object] | None = None, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, name: str = ..., args: Iterable[Parameter | Tensor] = ..., body: Stmt = ..., temp_bufs: _collections_abc.Sequence[Buffer] | None = ..., args_io: _collections_abc.Sequence[ArgumentIO] | None = ..., device_api: DeviceAPI = ..., cuda_axis_info: CudaAxisInfo | tuple[tuple[int, int, int], tuple[int, int, int]] | None = ..., attrs: DictAttrs | _collections_abc.Mapping[str, object] | None = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('module', effect=Effect.NONE, graph_node=False, properties=Property.NOT_EXEC)
class Module(ExprNode):
    """CINN's ``_Module_``: what is compiled together.

    Attributes:
        buffers: Memory that all of its functions, and its submodules, share.
        submodules: Modules of their own names, which know these buffers as well.
    """
    name: str
    target: Target
    buffers: tuple[Buffer, ...]
    functions: tuple[LoweredFunc, ...]
    submodules: tuple[Module, ...]
    __getattr__: None  # it is known what a kind has
    def __init__(self, name: str, target: Target | tuple[_relayish_tir_ir_target.TargetOS, _relayish_tir_ir_target.TargetArch, _relayish_tir_ir_target.TargetBits, tuple[str, ...], tuple[str, ...]] = ..., buffers: _collections_abc.Sequence[Buffer] | None = (), functions: _collections_abc.Sequence[LoweredFunc] | None = (), submodules: _collections_abc.Sequence[Module] | None = (), *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, name: str = ..., target: Target | tuple[_relayish_tir_ir_target.TargetOS, _relayish_tir_ir_target.TargetArch, _relayish_tir_ir_target.TargetBits, tuple[str, ...], tuple[str, ...]] = ..., buffers: _collections_abc.Sequence[Buffer] | None = ..., functions: _collections_abc.Sequence[LoweredFunc] | None = ..., submodules: _collections_abc.Sequence[Module] | None = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...

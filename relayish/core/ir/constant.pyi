# What type checkers see of relayish.core.ir.constant: generated from the kinds it declares.
# fmt: off
# mypy: disable-error-code="assignment, misc, override"
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false
import relayish.ir.nodes.span as _relayish_ir_nodes_span
import typing as _typing
from typing import Any
import numpy as np
from relayish.core.ir.family import CoreNode
from relayish.core.ir.type import Type, array, as_type
from relayish.ir.fields.roles import Atom
from relayish.ir.nodes.node import field, node
from relayish.ir.values.value import Value, as_value
@node('constant', atom=Atom.LITERAL)
class Constant(CoreNode):
    """A number, an array of numbers, or a string; equal ones are one entry of the table.

    Python numbers become ``int32``, ``float32`` or ``bool``. A string is an array of its UTF-8
    bytes and a zero byte behind them, ``uint8``.
    """
    data: Value
    type: Type = field(init=False)
    __getattr__: None  # it is known what a kind has
    def __init__(self, data: object, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, data: object = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...

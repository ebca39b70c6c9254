"""The families of the loop IR's nodes: CINN's class tree, and what has a value or is a statement.

.. code-block:: text

    IrNode = ExprNode | FunctionBase | IntrinsicOp
    ExprNode = UnaryOpNode | BinaryOpNode | (kinds)
    FunctionBase = Operation

Across these stand two families that say where a node may be: ``Expr``, in ``operators``, has a
value; ``Stmt`` is a statement of a block. A call is both.
"""

from __future__ import annotations

from relayish.ir.domains.property import Property
from relayish.ir.nodes.node import Node, field
from relayish.ir.nodes.span import Span
from relayish.tir.ir.language import TIR


class IrNode(Node, language=TIR):
    """The root of the loop IR. ``span`` says where a node comes from; comparison leaves it out."""

    __slots__ = ()
    visit_name = "ir_node"

    span: Span | None = field(default=None, compared=False, kw_only=True)


class ExprNode(IrNode):
    """CINN's ``ExprNode``: every kind but intrinsics and operations."""

    __slots__ = ()
    visit_name = "expr_node"


class Stmt(IrNode, properties=Property.STMT):
    """What may stand in a block, and is run."""

    __slots__ = ()
    visit_name = "stmt"


class FunctionBase(IrNode, properties=Property.NOT_EXEC):
    """CINN's ``FunctionBase``: what a call or a tensor comes from."""

    __slots__ = ()
    visit_name = "function_base"

"""The families of core's nodes.

.. code-block:: text

    CoreNode = Expr | Stmt | Symbol | Definition
    Expr = UnaryOp | BinaryOp | Comparison | LogicOp | ShiftOp | ... (kinds)

``Expr`` has a value and ``Stmt`` runs. Packages derive kinds of their own from both, which then may
stand wherever those of core do. ``Symbol`` is what names a place: a variable, a pseudo register, or
what the module defines; ``Definition`` is what a module holds.
"""

from __future__ import annotations

from relayish.core.ir.language import CORE
from relayish.core.ir.type import Type
from relayish.ir.node import Node, field
from relayish.ir.property import Property
from relayish.ir.span import Span


class CoreNode(Node, language=CORE):
    """The root of core. ``span`` says where a node comes from; comparison leaves it out."""

    __slots__ = ()
    visit_name = "core_node"

    span: Span | None = field(default=None, compared=False, kw_only=True)


class Expr(CoreNode, properties=Property.EXPR):
    """What has a value, the type of which is ``type``."""

    __slots__ = ()
    visit_name = "expr"

    type: Type = field(init=False, derived=True)


class Stmt(CoreNode, properties=Property.STMT):
    """What may stand in a block, and is run."""

    __slots__ = ()
    visit_name = "stmt"


class Symbol(CoreNode):
    """What names a place or a function: a symbol of AIR's tables."""

    __slots__ = ()
    visit_name = "symbol"


class Definition(CoreNode):
    """What a module defines under a name."""

    __slots__ = ()
    visit_name = "definition"

"""Diagrams of Relay's expressions and functions, and so of the graphs of models."""

from __future__ import annotations

from relayish.analysis.infer_type import infer_type
from relayish.draw.diagram import Box, BoxKind, Details, Diagram
from relayish.draw.readers.expressions import add_expression
from relayish.draw.readers.table import READERS
from relayish.draw.readers.texts import with_attributes
from relayish.draw.type_text import type_text
from relayish.errors import TypeInferenceError, UnknownKindError
from relayish.ir.kinds.one_line import one_line
from relayish.ir.relay.adt import TypeData
from relayish.ir.relay.expr import Expr, Function


@READERS.register(Expr)
def read_expression(expr: Expr, *, title: str = "", types: bool = True) -> Diagram:
    """Return the diagram of an expression; one that is ill-typed is drawn without types.

    Args:
        expr: The expression; free variables are inputs.
        title: What stands above the picture.
        types: Whether types are inferred where the expression has none.
    """
    if types and expr.checked_type is None:
        try:
            expr = infer_type(expr)
        except (TypeInferenceError, UnknownKindError):
            types = False  # which the picture shows by having none
    told = with_attributes("function", expr) if isinstance(expr, Function) else "expression"
    diagram = Diagram(title or told)
    add_expression(diagram, expr)
    return diagram


@READERS.register(TypeData)
def read_type_definition(data: TypeData, *, title: str = "") -> Diagram:
    """Return the diagram of an algebraic data type: its constructors.

    Args:
        data: The definition.
        title: What stands above the picture.
    """
    diagram = Diagram(title or data.header.name_hint)
    for each in data.constructors:
        lines = tuple(type_text(ty) for ty in each.inputs)
        box = Box(BoxKind.STATEMENT, each.name_hint, each.name_hint, family="data", lines=lines)
        box.details = Details(text=one_line(each))
        diagram.add(box)
    return diagram

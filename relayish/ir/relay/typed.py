"""The inferred types of expressions, for who needs them to be there."""

from __future__ import annotations

from relayish.errors import FieldError, UntypedError
from relayish.ir.kinds.one_line import quote
from relayish.ir.relay.expr import Expr, Var
from relayish.ir.relay.type import IncompleteType, Type


def type_of(expr: Expr) -> Type:
    """Return the inferred type of ``expr``; of a variable without one, what it is annotated with.

    ``expr.checked_type`` is ``None`` until types are inferred, and again where a rewrite made the
    expression anew. This function says so, in place of an error about ``None``.

    Raises:
        UntypedError: If it has none; says how to have it inferred.
        FieldError: If it is no expression.

    Example:
        >>> from relayish.ir.relay.build import var
        >>> x = var("x", shape=(2, 3))
        >>> type_of(x).shape
        (2, 3)
        >>> type_of(x + x)
        Traceback (most recent call last):
        ...
        relayish.errors.UntypedError: no type was inferred of add(%x, %x); run InferType first, \
list it in the required= of a pass, or infer the type of this expression by \
relay.transform.InferTypeLocal(expr)
    """
    given: object = expr  # still to be checked
    if not isinstance(given, Expr):
        raise FieldError(f"type_of takes an expression; found {given!r} ({type(given).__name__})")
    if expr.checked_type is not None:
        return expr.checked_type
    annotation = expr.type_annotation if isinstance(expr, Var) else None
    if annotation is not None and not isinstance(annotation, IncompleteType):
        return annotation
    raise UntypedError(
        f"no type was inferred of {quote(expr)}; run InferType first, list it in the required= of "
        f"a pass, or infer the type of this expression by relay.transform.InferTypeLocal(expr)"
    )

"""Replacing free variables of an expression, without capture."""

from __future__ import annotations

from collections.abc import Container, Mapping

import numpy as np

from relayish.functor.relay.mixed_mode import MixedModeMutator
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Constant, Expr, Function, Let, Var
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import TensorType, Type
from relayish.ir.scopes.renaming import (
    check_free,
    find_captured_variables,
    make_fresh_variable,
    with_names,
)
from relayish.ir.scopes.scoping import collect_variables
from relayish.ir.values.value import Value


def substitute(expr: Expr, images: Mapping[Var, Expr]) -> Expr:
    """Return ``expr`` with free variables replaced.

    A variable that ``expr`` binds and that is free in one of the images is renamed in ``expr``, so
    that images mean what they meant. Where an image may have another type than its variable, types
    that follow from it are dropped, to be told anew: those of results of functions, of variables
    that lets bind, and type arguments.

    Args:
        expr: Any well-formed expression.
        images: What to put in the place of each variable.

    Returns:
        ``expr`` itself when none of the variables occurs. Shared nodes remain shared; an image
        used in several places is one node.

    Raises:
        PassError: If ``expr`` binds one of the variables.

    Complexity:
        Linear in the distinct nodes of ``expr`` and the images; no recursion.

    Source:
        RAF ``Substitute``, which lets variables be captured.

    Example:
        >>> from relayish.ir.relay.expr import Tuple
        >>> x, y = Var("x"), Var("y")
        >>> image = substitute(Let(y, Tuple(()), Tuple((x, y))), {x: y})
        >>> image.body.fields[0] is y, image.var is y
        (True, False)
    """
    images = {var: image for var, image in images.items() if var is not image}
    occurring, bound = collect_variables(expr, EXPRESSIONS)
    if not any(var in occurring for var in images):
        return expr
    check_free(images, bound, expr, EXPRESSIONS)
    return _Substitution(expr, images, bound).visit(expr)


class _Substitution(MixedModeMutator):
    """Replaces variables, and gives new ones to those that would capture others."""

    def __init__(self, root: Expr, images: Mapping[Var, Expr], bound: Container[Node]) -> None:
        self._retypes = not all(fits(var, image) for var, image in images.items())
        renamed = find_captured_variables(bound, list(images.values()), EXPRESSIONS)
        found: dict[Node, Node] = {var: make_fresh_variable(var) for var in renamed}
        if self._retypes:
            for node in EXPRESSIONS.pre_order(root):
                if type(node) is Let and node.var.type_annotation is not None:
                    found[node.var] = node.var.with_fields(type_annotation=None)
        renamed = list(found)
        found.update(images.items())
        for var in renamed:
            found[var] = with_names(found[var], found)
        self.memo_map.update(found)
        self._given = images

    def visit_var(self, var: Var) -> Expr:
        """Let what shares memory with a variable that is replaced share that of the other."""
        return var.with_fields(may_share=_share_memory(var, self._given))

    def rewrite_function(self, pre: Function, post: Function) -> Expr:
        return post if post is pre or not self._retypes else post.with_fields(ret_type=None)

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        return post if post is pre or not self._retypes else post.with_fields(type_args=())


def _share_memory(var: Var, images: Mapping[Var, Expr]) -> Var | None:
    """Return the variable with which ``var`` may share memory once others have been replaced."""
    if var.may_share is None:
        return None
    image = images.get(var.may_share, var.may_share)
    return image if type(image) is Var else None


def fits(var: Expr, image: Expr) -> bool:
    """Return whether ``image`` is known to be of the type that ``var`` is annotated with.

    A variable of a kind that another package declares has the type that was inferred of it.
    """
    wanted = var.type_annotation if type(var) is Var else var.checked_type
    if wanted is None:
        return True
    known = type_of_value(image.data) if type(image) is Constant else image.checked_type
    if known is None and type(image) is Var:
        known = image.type_annotation
    return known is not None and structural_equal(known, wanted)


def type_of_value(value: Value) -> Type | None:
    """Return the type of a tensor, and ``None`` of what is none."""
    if isinstance(value, (np.ndarray, np.generic)):
        return TensorType(value.shape, str(value.dtype))
    return None

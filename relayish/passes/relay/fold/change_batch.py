"""Give the inputs of a network another size of batch.

Before, with a batch of 16 in dimension 0 of ``%data``::

    fn (%data: Tensor[(1, 3), float32], %weight: Tensor[(4, 3), float32])
        -> Tensor[(1, 4), float32] { nn.dense(%data, %weight) }

After::

    fn (%data: Tensor[(16, 3), float32], %weight: Tensor[(4, 3), float32])
        -> Tensor[(16, 4), float32] { nn.dense(%data, %weight) }
"""

from __future__ import annotations

from collections.abc import Mapping

from relayish.analysis import all_vars, bound_vars
from relayish.analysis.infer_type import infer_type
from relayish.errors import PassError
from relayish.functor import MixedModeMutator
from relayish.ir.relay.expr import Call, Expr, Function, Op, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import TensorType
from relayish.pass_infra import register_pass
from relayish.passes.relay.normal_form.functions import (
    iterate_optimized_functions,
    transform_functions,
)


class _Replacer(MixedModeMutator):
    """Replaces variables, and leaves to type inference whatever depends on their types."""

    def __init__(self, images: Mapping[Var, Var]) -> None:
        self._replacements = images

    def rewrite_var(self, pre: Var, post: Var) -> Expr:
        """Return what stands for the variable."""
        return self._replacements.get(pre, post)

    def rewrite_function(self, pre: Function, post: Function) -> Expr:
        """Leave open what a changed function returns."""
        return post if post is pre else post.with_fields(ret_type=None)

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        """Leave open the type arguments of a changed call."""
        return post if post is pre or type(post.op) is Op else post.with_fields(type_args=())


def change_batch(expr: Expr, data: Mapping[Var, int], batch_size: int = 16) -> Expr:
    """Return ``expr`` with variables annotated with tensors of another size.

    What was annotated on local variables and results of functions, by type inference or by hand, is
    left out, to be inferred anew.

    Args:
        expr: An expression without types inferred, or with.
        data: Variables in ``expr``, each with the dimension that is the batch.
        batch_size: Its new size.

    Returns:
        ``expr`` itself when all of the variables have that size, or none is in it.

    Raises:
        PassError: If a variable is not annotated with a tensor that has such a dimension.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        Relay ``ChangeBatch``.

    Example:
        >>> x = Var("x", TensorType((1, 3), "float32"))
        >>> change_batch(Function((x,), x), {x: 0}, 4).params[0].type_annotation.shape
        (4, 3)
    """
    images = {var: _resize(var, axis, batch_size) for var, axis in data.items()}
    changed = {var: image for var, image in images.items() if image is not var}
    if changed.keys().isdisjoint(all_vars(expr)):
        return expr
    params = {p for f in EXPRESSIONS.post_order(expr) if type(f) is Function for p in f.params}
    for var in bound_vars(expr):
        if type(var) is not Var or var in params or var in changed:
            continue
        if var.type_annotation is not None:
            changed[var] = var.with_fields(type_annotation=None)
    return _Replacer(changed).visit(expr)


def _resize(var: Var, axis: int, batch_size: int) -> Var:
    ty = var.type_annotation
    if not isinstance(ty, TensorType) or not -len(ty.shape) <= axis < len(ty.shape):
        raise PassError(
            f"%{var.name_hint} has no dimension {axis} to be a batch of {batch_size}: its type is "
            f"{ty}; annotate it with a tensor that has one"
        )
    shape = list(ty.shape)
    shape[axis] = batch_size
    return var.with_fields(type_annotation=ty.with_fields(shape=tuple(shape)))


@register_pass("ChangeBatch", opt_level=1)
def change_batch_of_module(
    mod: IRModule, *, data: Mapping[Var, int], batch_size: int = 16
) -> IRModule:
    """Batch rewriting: give inputs of a network another size of batch.

    What :func:`change_batch` does, with each function; types are inferred anew. The variables in
    ``data`` are those of the module the pass is applied to; type inference makes new ones.

    Raises:
        PassError: If one of ``data`` is no variable, or is none of the module.

    Example:
        >>> from relayish.transform import ChangeBatch
        >>> x = Var("x", TensorType((1, 3), "float32"))
        >>> mod = IRModule.from_expr(Function((x,), x))
        >>> ChangeBatch({x: 0}, batch_size=4)(mod)["main"].params[0].type_annotation
        TensorType(shape=(4, 3), dtype='float32')
    """
    for var in data:
        if not isinstance(var, Var):
            raise PassError(
                f"ChangeBatch takes variables with the dimension of each that is the batch; "
                f"found {var!r} ({type(var).__name__}); give mod['main'].params[0], for example"
            )
    found = {var for func in mod.functions_of(Expr).values() for var in all_vars(func)}
    missing = [f"%{var.name_hint}" for var in data if var not in found]
    if missing:
        raise PassError(
            f"{', '.join(missing)} is no variable of the module; take the variables from the "
            f"functions of the module that the pass is applied to"
        )
    out = transform_functions(
        mod, lambda func: change_batch(func, data, batch_size), iterate_optimized_functions
    )
    return mod if out is mod else infer_type(out)

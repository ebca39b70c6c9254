"""Declare what is known of the shapes of outputs.

Before, of a function whose attributes say that ``%y`` is a ``Tensor[(rows, columns), float32]``::

    fn (%x: Tensor[(2, 3), float32]) {
      let %y = onnx::Transpose_13(%x) {perm=[1, 0]};
      %y
    }

After, it is said to be a ``Tensor[(3, 2), float32]``.
"""

from __future__ import annotations

from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.relay.expr import Expr, Function, Let, Tuple
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TensorType
from relayish.onnx import info
from relayish.onnx.value_types import merge_types
from relayish.pass_infra import register_pass
from relayish.passes.onnx.rewrite.engine.facts import facts_of


@register_pass("DeclareOutputShapes", opt_level=0, idempotent=True)
def declare_output_shapes(func: Expr, mod: IRModule | None = None) -> Expr:
    """Shapes of outputs: say sizes that are known, where a model of ONNX says names.

    A model names sizes of outputs that depend on those of inputs, or on nothing that it tells.
    Where shapes of inputs became known since, so may these.

    Args:
        func: A function of ONNX; any other expression is returned as it is.
        mod: The module it belongs to.

    Returns:
        ``func`` itself where no name of a size is known to be a number.

    Complexity:
        Linear in the nodes, if no pass before left what is known of them.

    Example:
        >>> import relayish as relay
        >>> from relayish.onnx import find_operator, info, make_call
        >>> x = relay.var("x", shape=(2, 6))
        >>> relu = make_call(find_operator("Relu", 14), [x])
        >>> told = relay.TensorType((relay.Any(), 6))
        >>> attrs = relay.DictAttrs({info.OUTPUT_TYPES: (told,)})
        >>> func = relay.Function([x], relu, attrs=attrs)
        >>> declare_output_shapes(func).attrs[info.OUTPUT_TYPES]
        (TensorType(shape=(2, 6), dtype='float32'),)
    """
    if type(func) is not Function or func.attrs is None:
        return func
    told = func.attrs.get(info.OUTPUT_TYPES)
    if not isinstance(told, tuple) or not any(map(_has_names, told)):
        return func
    body: Expr = func.body
    while type(body) is Let:
        body = body.body
    results = body.fields if type(body) is Tuple else (body,)
    if len(results) != len(told):
        return func
    facts = facts_of(func, mod)
    merged = tuple(
        [merge_types(ty, facts.type_of(each)) for ty, each in zip(told, results, strict=True)]
    )
    if all(old == new for old, new in zip(told, merged, strict=True)):
        return func
    assert isinstance(func.attrs, DictAttrs)
    return func.with_fields(attrs=func.attrs.with_values(**{info.OUTPUT_TYPES: merged}))


def _has_names(ty: object) -> bool:
    return isinstance(ty, TensorType) and any(not isinstance(size, int) for size in ty.shape)

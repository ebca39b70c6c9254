"""Infer the shapes of a program of ONNX.

Before::

    fn (%x: Tensor[(n, 3, 4), float32]) {
      let %s = onnx::Shape_15(%x) {end=1};
      let %m = meta[relay.Constant][0];  // [-1]
      let %t = onnx::Concat_13(%s, %m) {axis=0};
      let %y = onnx::Reshape_14(%x, %t);
      %y
    }

After, the types on the nodes::

    fn (%x: Tensor[(n, 3, 4), float32]) {
      let %s = onnx::Shape_15(%x) {end=1} /* ty=Tensor[(1), int64] */;
      let %m = meta[relay.Constant][0] /* ty=Tensor[(1), int64] */;
      let %t = onnx::Concat_13(%s, %m) {axis=0} /* ty=Tensor[(2), int64] */;
      let %y = onnx::Reshape_14(%x, %t) /* ty=Tensor[(n, 12), float32] */;
      %y
    }
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.nodes.node import NAMES, Node
from relayish.ir.relay.expr import Expr, Function, GlobalVar, Let
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import FuncType, TensorType, Type
from relayish.onnx.calls import calls_onnx
from relayish.onnx.propagation import Facts, propagate
from relayish.pass_infra import register_pass
from relayish.passes.onnx.shapes.input_shapes import fix_input_shapes


@register_pass("InferShapesOnnx", opt_level=0, idempotent=True)
def infer_shapes_onnx(
    mod: IRModule, *, input_shapes: Mapping[str, Sequence[int | None]] | None = None
) -> IRModule:
    """Shape inference for ONNX: put on each node the type of its value.

    Return ``mod`` with the types of all values that can be told, in graphs of nodes too: by the
    inference of ONNX's schemas, and by following the shapes that the program computes. A size that
    is not known has a name where the model gives it one, or an expression of names.

    Args:
        mod: A module of ONNX.
        input_shapes: Sizes that inputs of ``main`` are to have, by the names of the inputs;
            ``None`` leaves a size as it is. A size by name is replaced in the whole module.

    Returns:
        ``mod`` itself when all types are on the nodes.

    Raises:
        PassError: If there is no such input, or it cannot have these sizes.
        TypeInferenceError: If the inputs of a node contradict each other; it names the node.

    Complexity:
        Linear in the nodes.

    Example:
        >>> import relayish as relay
        >>> from relayish.onnx import find_operator, make_call
        >>> x = relay.var("x", shape=(2, 6))
        >>> relu = make_call(find_operator("Relu", 14), [x])
        >>> mod = relay.IRModule.from_expr(relay.Function([x], relu))
        >>> infer_shapes_onnx(mod)["main"].body.checked_type
        TensorType(shape=(2, 6), dtype='float32')
    """
    if input_shapes:
        mod = fix_input_shapes(mod, input_shapes)
    changed: dict[GlobalVar | str, Expr] = {}
    for name, func in mod.functions.items():
        if type(func) is not Function or not calls_onnx(func):
            continue
        image = put_types(func, propagate(func, mod, name=f"@{name.name_hint}"))
        if image is not func:
            changed[name] = image
    return mod.with_functions(changed) if changed else mod


def put_types(func: Function, facts: Facts) -> Function:
    """Return a function with the types of its values on its nodes.

    Complexity:
        Linear in the nodes; no recursion.
    """
    images: dict[Node, Node] = {}
    retype = EXPRESSIONS.retype
    for node in EXPRESSIONS.post_order(func):
        if type(node) in NAMES or not isinstance(node, Expr):
            continue
        found = _type_of(node, images, facts)
        old = node.checked_type
        if found is None or (old is not None and is_same_type(old, found)):
            found = old  # what was found otherwise, for operators of Relay, is as true as before
        images[node] = retype[type(node)](node, images.get, found)
    image = images[func]
    assert isinstance(image, Function)
    return image


def _type_of(node: Expr, images: Mapping[Node, Node], facts: Facts) -> Type | None:
    if type(node) is Let:
        return _known(images, node.body)
    if type(node) is not Function:
        return facts.type_of(node)
    params = [_known(images, param) for param in node.params]
    result = _known(images, node.body)
    if result is None or any(ty is None for ty in params):
        return None
    return FuncType([ty for ty in params if ty is not None], result)


def _known(images: Mapping[Node, Node], node: Expr) -> Type | None:
    image = images.get(node)
    return image.checked_type if isinstance(image, Expr) else None


def is_same_type(one: Type, other: Type) -> bool:
    """Return whether two types say the same."""
    if type(one) is TensorType and type(other) is TensorType and one.shape == other.shape:
        return one.dtype == other.dtype
    return one is other or structural_equal(one, other)

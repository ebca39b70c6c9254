"""Compute some operators in another element type.

Before, with ``nn.conv2d`` in ``int8`` and results in ``int32``::

    nn.conv2d(%x, %w, out_dtype="float32")

After::

    cast(nn.conv2d(cast(%x, "int8"), cast(%w, "int8"), out_dtype="int32"), "float32")

Values are cast as they are, without scales: this serves to see how fast a network would be, not how
good. It is a function and no pass, as in Relay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar, cast

from relayish.analysis.infer_type import infer_type
from relayish.errors import PassError
from relayish.functor import MixedModeMutator
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Expr, Let, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import TensorType, Type
from relayish.ir.values.dtype import DType, check_dtype
from relayish.op.builders.builder import op
from relayish.op.declaration.registry import get_op, relay_op
from relayish.rewriting.relay.facts import place_span

_Program = TypeVar("_Program", bound="Expr | IRModule")


def recast(
    expr: _Program,
    dtype: DType,
    out_dtype: DType,
    ops: Sequence[str] | None = None,
    skip_layers: Sequence[int] | None = None,
) -> _Program:
    """Return ``expr`` with calls of some operators computed in another element type.

    Arguments are cast to ``dtype``, ``out_dtype`` is asked for where the operator has such an
    attribute, and the result is cast to the type it had.

    Args:
        expr: An expression whose free variables are annotated, or a module, whose ``main`` is
            changed.
        dtype: The element type to compute in.
        out_dtype: The element type of results, where it can be chosen.
        ops: Names of operators; convolutions (``nn.conv2d``) if none are given.
        skip_layers: Layers to leave alone, counted from 0, the first, or back from -1, the last. A
            network has as many layers as there are calls of these operators on the longest way
            through it; the layer of a call is told by how many of them lie behind it on the
            longest way to the result.

    Returns:
        ``expr`` itself when nothing was to be changed.

    Raises:
        PassError: If a result that must be cast back is no tensor, or ``ops`` one name alone.
        FieldError: If an element type is none.
        TypeInferenceError: If ``expr`` is ill-typed.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        Relay ``recast``.

    Example:
        >>> from relayish.ir.relay.build import var
        >>> x, y = var("x", shape=(2, 3)), var("y", shape=(2, 3))
        >>> image = recast(op.add(x, y), "float16", "float16", ops=["add"])
        >>> image.op.name, image.args[0].op.name, image.args[0].args[0].op.name
        ('cast', 'add', 'cast')
    """
    dtype, out_dtype = check_dtype(dtype), check_dtype(out_dtype)
    if isinstance(ops, str):
        raise PassError(f"ops are names of operators, in a list; found {ops!r}")
    chosen: set[Node] = {relay_op("nn.conv2d")} if ops is None else {*map(get_op, ops)}
    main = _main(expr)
    typed = _main(infer_type(expr)) if isinstance(expr, IRModule) else infer_type(expr)
    layers = _layers(main, chosen)
    count = 1 + max(layers.values(), default=-1)
    skipped = {layer + count if layer < 0 else layer for layer in skip_layers or ()}
    calls = {call for call, layer in layers.items() if layer not in skipped}
    if not calls:
        return expr
    pairs = zip(EXPRESSIONS.post_order(main), EXPRESSIONS.post_order(typed), strict=True)
    types = {node: twin.checked_type for node, twin in pairs if node in calls}  # type: ignore[attr-defined]  # calls
    image = _Recaster(types, dtype, out_dtype).visit(main)
    changed = expr.with_functions({"main": image}) if isinstance(expr, IRModule) else image
    return cast("_Program", changed)


def _main(program: Expr | IRModule) -> Expr:
    main = program["main"] if isinstance(program, IRModule) else program
    if not isinstance(main, Expr):
        raise PassError(f"@main is of another language, which cannot be recast; found {main!r}")
    return main


def _layers(expr: Expr, ops: set[Node]) -> dict[Node, int]:
    """Return the layer of every call of one of ``ops``, the first layer being 0."""
    order = EXPRESSIONS.post_order(expr)
    bound: dict[Node, list[Var]] = {}
    for node in order:
        if type(node) is Let:
            bound.setdefault(node.value, []).append(node.var)
    behind: dict[Node, int] = dict.fromkeys(order, 0)
    found: dict[Node, int] = {}
    for node in reversed(order):  # whatever uses a node comes before it
        depth = max([behind[node], *[behind[var] for var in bound.get(node, ())]])
        if type(node) is Call and node.op in ops:
            found[node] = depth
            depth += 1
        for child in EXPRESSIONS.children(node):
            if type(node) is not Let or child is node.body:  # values lie below the uses of names
                behind[child] = max(behind[child], depth)
    deepest = max(found.values(), default=0)
    return {node: deepest - depth for node, depth in found.items()}


class _Recaster(MixedModeMutator):
    """Casts the arguments and the results of some calls, which had certain types."""

    def __init__(self, types: Mapping[Node, Type | None], dtype: DType, out_dtype: DType) -> None:
        self._types = types
        self._dtype = dtype
        self._out_dtype = out_dtype

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        """Compute the call in the other element type."""
        if pre not in self._types:
            return post
        ty = self._types[pre]
        if not isinstance(ty, TensorType):
            raise PassError(f"the result of a call of {pre.op} is no tensor, and cannot be cast")
        args = tuple(map(self._cast, post.args))
        computed = post.with_fields(args=args, attrs=self._attrs(post.attrs))
        return place_span(op.cast(computed, dtype=ty.dtype), pre.span, (*post.args, post.op))

    def _cast(self, arg: Expr) -> Expr:
        if type(arg) is Tuple:
            return arg.with_fields(fields=tuple(map(self._cast, arg.fields)))
        cast_arg: Expr = op.cast(arg, dtype=self._dtype)
        return cast_arg

    def _attrs(self, attrs: Attrs | None) -> Attrs | None:
        if attrs is None or "out_dtype" not in attrs:
            return attrs
        return attrs.with_values(out_dtype=self._out_dtype)

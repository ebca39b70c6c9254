"""Mixed precision: compute in a narrow element type where that does little harm.

Before, with ``float16`` as the narrow type::

    %0 = nn.conv2d(%x, %w, out_dtype="float32");
    sum(nn.relu(%0))

After::

    %0 = nn.conv2d(cast(%x, "float16"), cast(%w, "float16"), out_dtype="float16");
    sum(cast(nn.relu(%0), "float32"))
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from operator import is_
from typing import Final, TypeAlias, cast

from relayish._support.graph import fold_tree
from relayish.analysis.infer_type.global_uses import global_uses
from relayish.errors import FieldError, PassError
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.relay import expr as relay
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.traversal import TYPES
from relayish.ir.relay.type import TensorType, TupleType, Type
from relayish.ir.values.dtype import DType, check_dtype
from relayish.op.builders.call import make_attrs
from relayish.op.declaration.properties import (
    MixedPrecision,
    chosen_dtype,
    mixed_precision,
    quantized,
)
from relayish.pass_infra import PassContext, is_skipped, register_config_option, register_pass
from relayish.passes.relay.rewrite.rules.retyping import Retyping

KEEP_ORIG_OUTPUT_DTYPE: Final = "relay.ToMixedPrecision.keep_orig_output_dtype"
register_config_option(
    KEEP_ORIG_OUTPUT_DTYPE,
    bool,
    default=False,
    description="cast what functions return in mixed precision to the type they returned before",
)

ERROR, WARN, IGNORE = 0, 1, 2
"""What may be done about operators of which nobody said how precise they must be."""

_CAST: Final = intern_op("cast")
_FLOATS: Final = re.compile(r"bfloat16|float(16|32|64)")
_Choice: TypeAlias = Callable[[DType, DType], DType]
_Typed: TypeAlias = tuple[relay.Expr, Type, Type]  # with its type now and before
"""From the element type a tensor has, and had, to the one it shall have."""


class _Converter(Retyping):
    """Casts operands, and has operators compute in the narrow type."""

    def __init__(self, dtype: DType, *, keep_result: bool) -> None:
        super().__init__()
        self._dtype = dtype
        self._keep_result = keep_result
        self._casts: dict[tuple[relay.Expr, DType], relay.Expr] = {}
        self.missing: Counter[str] = Counter()

    def rewrite_call(self, pre: relay.Call, post: relay.Call) -> relay.Expr:
        """Compute the call in the narrow type, or cast its operands back to the wide one."""
        types = [self.type_of(arg) for arg in post.args]
        if not any(any(_floats(ty)) for ty in (*types, self.type_of(pre))):
            return post
        category, accumulated, returned = self._conversion(pre)
        if category is MixedPrecision.FOLLOW:
            narrow = all(map(self._is_narrow, post.args, types))
            category = MixedPrecision.ALWAYS if narrow else MixedPrecision.NEVER
        if category is MixedPrecision.NEVER:
            return post.with_fields(args=self._cast_all(pre, post, types, _widen))
        args = self._cast_all(pre, post, types, lambda _now, _before: self._dtype)
        attrs = _choose_attrs(post, accumulated)
        image = post.with_fields(args=args, attrs=attrs)
        if accumulated == returned:
            return image
        ty = self.type_of(image)
        return self._convert(image, ty, ty, lambda _now, _before: returned)

    def rewrite_result(self, pre: relay.Function, body: relay.Expr) -> relay.Expr:
        """Cast the result back to the type it had, where that is asked for."""
        return self.restore(pre.body, body) if self._keep_result else body

    def restore(self, pre: relay.Expr, post: relay.Expr) -> relay.Expr:
        """Return ``post`` with the element types of ``pre``."""
        return self._convert(post, self.type_of(post), self.type_of(pre), lambda _, had: had)

    def _conversion(self, call: relay.Call) -> tuple[MixedPrecision, DType, DType]:
        """Return whether ``call`` is computed in the narrow type, and what it accumulates in."""
        assert isinstance(call.op, relay.Op)
        ask = mixed_precision.get(call.op)
        if ask is None and call.op in quantized:  # its rule asks for scales of float32
            return MixedPrecision.NEVER, self._dtype, self._dtype
        if ask is None:
            self.missing[call.op.full_name] += 1
            return MixedPrecision.FOLLOW, self._dtype, self._dtype
        answer = ask(call, self._dtype)
        try:
            category, accumulated, returned = answer
            return MixedPrecision(category), check_dtype(accumulated), check_dtype(returned)
        except (TypeError, ValueError, FieldError):
            raise PassError(
                f"the conversion to mixed precision of {call.op.full_name} returned {answer!r}; "
                f"expected a MixedPrecision and two element types"
            ) from None

    def _is_narrow(self, arg: relay.Expr, ty: Type) -> bool:
        """Return whether an operand is in the narrow type, or costs nothing to be cast to it."""
        return type(arg) in (relay.Var, relay.Constant) or all(
            found == self._dtype for found in _floats(ty)
        )

    def _cast_all(
        self, pre: relay.Call, post: relay.Call, types: list[Type], choose: _Choice
    ) -> tuple[relay.Expr, ...]:
        before = [self.type_of(arg) for arg in pre.args]
        choices = [choose] * len(types)
        return tuple(map(self._convert, post.args, types, before, choices))

    def _convert(self, expr: relay.Expr, now: Type, before: Type, choose: _Choice) -> relay.Expr:
        """Return ``expr`` of type ``now`` with each tensor in it cast to the type chosen for it."""
        inside: dict[relay.Expr, tuple[relay.Expr, ...]] = {}

        def parts(typed: _Typed) -> list[_Typed]:
            item, ty, had = typed
            if not isinstance(ty, TupleType) or not isinstance(had, TupleType):
                return []
            inside[item] = _fields(item, len(ty.fields))
            return list(zip(inside[item], ty.fields, had.fields, strict=True))

        def convert(typed: _Typed, fields: list[relay.Expr]) -> relay.Expr:
            item, ty, had = typed
            if isinstance(ty, TensorType) and isinstance(had, TensorType):
                return self._cast(item, ty.dtype, choose(ty.dtype, had.dtype))
            same = all(map(is_, fields, inside.get(item, ())))
            return item if same else relay.Tuple(tuple(fields), span=item.span)

        if isinstance(now, TensorType):
            return convert((expr, now, before), [])
        return fold_tree((expr, now, before), parts, convert)

    def _cast(self, expr: relay.Expr, dtype: DType, wanted: DType) -> relay.Expr:
        """Return ``expr`` cast to ``wanted``: once for each expression, never back and forth."""
        if dtype == wanted or _FLOATS.fullmatch(dtype) is None:
            return expr
        known = self._casts.get((expr, wanted))
        if known is None:
            attrs = make_attrs(_CAST, {"dtype": wanted})
            known = self._casts[expr, wanted] = relay.Call(_CAST, (expr,), attrs, span=expr.span)
            self._casts[known, dtype] = expr
        return known


def _widen(_: DType, before: DType) -> DType:
    """Return the element type for what must be precise: single precision, or double if it was."""
    return "float64" if before == "float64" else "float32"


def _floats(ty: Type) -> Iterator[DType]:
    """Yield the element types of the tensors in ``ty`` that hold floating point numbers."""
    is_tensor = isinstance(ty, TensorType)
    for part in (ty,) if is_tensor else TYPES.pre_order(ty, lambda part: type(part) is TupleType):
        if isinstance(part, TensorType) and _FLOATS.fullmatch(part.dtype) is not None:
            yield part.dtype


def _fields(expr: relay.Expr, count: int) -> tuple[relay.Expr, ...]:
    if type(expr) is relay.Tuple:
        return expr.fields
    return tuple([relay.TupleGetItem(expr, index, span=expr.span) for index in range(count)])


def _choose_attrs(call: relay.Call, dtype: DType) -> Attrs | None:
    """Return the attributes of ``call``, which ask for ``dtype`` where they ask for a float."""
    name, attrs = chosen_dtype.get(call.op), call.attrs
    if name is None or attrs is None or name not in attrs:
        return attrs
    chosen = cast("DType | None", attrs[name])
    if chosen and _FLOATS.fullmatch(chosen) is None:
        return attrs
    return attrs.with_values(**{name: dtype})


def to_mixed_precision(
    func: relay.Function,
    mixed_precision_type: DType = "float16",
    missing_op_mode: int = WARN,
    *,
    keep_result: bool = False,
) -> relay.Function:
    """Return ``func``, whose types are known, computing in a narrow type where that does no harm.

    Some operators always compute in the narrow type (products, convolutions), some never (sums,
    exponentials), and most do where their operands are in it already, or are variables or
    constants. Which do is in the table ``mixed_precision`` of
    :mod:`~relayish.op.declaration.properties`. Parameters keep their types, and so do local
    functions that are values, references, and what ifs, matches and global functions return; what a
    function returns that is called where it stands, and local variables, follow.

    Args:
        func: A well-formed function with its types inferred.
        mixed_precision_type: The narrow element type.
        missing_op_mode: What to do about operators of which nothing was said, which are taken to
            depend on their operands: 0 raises an error, 1 warns, 2 does nothing.
        keep_result: Cast the result to the type it had.

    Returns:
        ``func`` itself when nothing is to be cast.

    Raises:
        PassError: If the type is no floating point type, the mode none of these, or an operator is
            missing and that is an error.

    Complexity:
        Linear in the number of distinct nodes and the fields of tuples; no recursion.

    Source:
        Relay ``ToMixedPrecision``; beyond it, double precision stays where precision counts,
        integers are left alone, and programs with closures, branches, references, data types and
        several functions keep their types where these parts meet.
    """
    if _FLOATS.fullmatch(str(mixed_precision_type)) is None:
        raise PassError(
            f"mixed precision needs a floating point type such as 'float16' or 'bfloat16'; "
            f"found {mixed_precision_type!r}"
        )
    if missing_op_mode not in (ERROR, WARN, IGNORE):
        raise PassError(
            f"missing_op_mode must be 0 (error), 1 (warn) or 2 (ignore); found {missing_op_mode!r}"
        )
    converter = _Converter(mixed_precision_type, keep_result=keep_result)
    image = converter.rewrite(func)
    if converter.missing and missing_op_mode != IGNORE:
        found = ", ".join(f"{name} ({count})" for name, count in sorted(converter.missing.items()))
        message = (
            f"nobody said whether these operators may be computed in {mixed_precision_type}: "
            f"{found}; say so with register_mixed_precision_conversion, or set missing_op_mode=2"
        )
        if missing_op_mode == ERROR:
            raise PassError(message)
        warnings.warn(message, stacklevel=2)
    return image


@register_pass("ToMixedPrecision", opt_level=0, infer_types=True)
def to_mixed_precision_of_module(
    mod: IRModule,
    *,
    ctx: PassContext,
    mixed_precision_type: str = "float16",
    missing_op_mode: int = WARN,
) -> IRModule:
    """Mixed precision: compute in a narrow element type where that does little harm.

    What :func:`to_mixed_precision` does, with each function. Functions that others refer to return
    what they did. The option ``relay.ToMixedPrecision.keep_orig_output_dtype`` of the context has
    all do so.
    """
    keep = ctx.get_config(KEEP_ORIG_OUTPUT_DTYPE) is True
    named = {name for func in mod.functions.values() for name in global_uses(func).names}
    changed: dict[relay.GlobalVar | str, relay.Expr] = {}
    for key, func in mod.functions_of(relay.Function).items():
        if is_skipped(func):
            continue
        image = to_mixed_precision(
            func,
            mixed_precision_type,
            missing_op_mode,
            keep_result=keep or key.name_hint in named,
        )
        if image is not func:
            changed[key] = image
    return mod.with_functions(changed)

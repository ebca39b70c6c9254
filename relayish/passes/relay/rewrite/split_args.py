"""Concatenate many tensors in several steps.

Before, where a kernel may have four arguments, one of which is its result::

    concatenate((%a, %b, %c, %d, %e))

After::

    %0 = concatenate(annotation.stop_fusion((%a, %b, %c)));
    concatenate(annotation.stop_fusion((%0, %d, %e)))
"""

from __future__ import annotations

from relayish.dataflow_pattern import rewrite_rules, rule
from relayish.errors import PassError
from relayish.ir.relay.expr import Call, Expr, Tuple
from relayish.op.builders.builder import op
from relayish.pass_infra import register_pass
from relayish.passes.relay.rewrite.rules.tensors import tensor_of
from relayish.rewriting.rule import Facts


@register_pass("SplitArgs", opt_level=1, infer_types=True, idempotent=True)
def split_args(expr: Expr, *, max_function_args: int) -> Expr:
    """Argument splitting: concatenate in steps where a kernel cannot take as many tensors.

    Return ``expr``, whose types are known, with concatenations of many tensors split up.

    Each step concatenates what the one before it made with further tensors, and nothing is fused
    into it, so that the kernel takes no more arguments than it may.

    Args:
        expr: A well-formed expression with its types inferred.
        max_function_args: How many arguments a kernel may have, its result among them; zero for
            any number. A tensor with dimensions that are not known takes an argument for each of
            these and for each of its strides. A step always takes two tensors.

    Returns:
        ``expr`` itself when nothing has too many arguments.

    Raises:
        PassError: If the number is negative, or types were not inferred.

    Complexity:
        Linear in the number of distinct nodes and their uses; no recursion.

    Source:
        Relay ``SplitArgs``.
    """
    if max_function_args < 0:
        raise PassError(f"max_function_args must be 0 or more; found {max_function_args}")
    if max_function_args == 0:
        return expr

    @rule("concatenate")
    def split(call: Call, facts: Facts) -> Expr:
        before: Call = facts.pre
        joined, types = call.args[0], before.args[0]
        if type(joined) is not Tuple or type(types) is not Tuple:
            return call
        counts = [_argument_count(field) for field in types.fields]
        limit = max_function_args - _argument_count(before)
        return call if sum(counts) < limit else _concatenate_in_steps(call, joined, counts, limit)

    return rewrite_rules([split], expr, keep_order=True, again=False)


def _argument_count(tensor: Expr) -> int:
    """Return how many arguments of a kernel a tensor takes."""
    shape = tensor_of(tensor).shape
    unknown = sum(1 for size in shape if not isinstance(size, int))
    return 1 + unknown + len(shape) if unknown else 1


def _concatenate_in_steps(call: Call, joined: Tuple, counts: list[int], limit: int) -> Expr:
    parts: list[Expr] = []
    used = 0
    for field, count in zip(joined.fields, counts, strict=True):
        if used + count > limit and len(parts) > 1:
            parts, used = [_step(call, joined, parts)], count
        parts.append(field)
        used += count
    return _step(call, joined, parts)


def _step(call: Call, joined: Tuple, parts: list[Expr]) -> Expr:
    kept_apart = op.annotation.stop_fusion(joined.with_fields(fields=tuple(parts)))
    return call.with_fields(args=(kept_apart,))

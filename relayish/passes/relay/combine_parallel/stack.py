"""Results on top of one another, along an axis in front: arguments are stacked, results split."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.ir.relay.expr import Expr, TupleGetItem
from relayish.op.builders.call import relay_call
from relayish.passes.relay.combine_parallel.combiner import (
    Branch,
    Combiner,
    Image,
    dtype_of,
    get_static_shape,
    is_map,
)


class StackCombiner(Combiner):
    """Stacks arguments; each result is a part of the combined one along the first axis."""

    def follows(self, branches: Sequence[Branch], level: int, place: int) -> bool:
        whole = get_static_shape(branches[0][0])
        for branch in branches:
            call = branch[level]
            if not is_map(call) or get_static_shape(call) != whole:
                return False
        for other in range(len(branches[0][level].args)):
            if other == place:
                continue
            args = [branch[level].args[other] for branch in branches]
            if None in map(get_static_shape, args) or len({_kind(arg) for arg in args}) > 1:
                return False
        return True

    def combine_level(
        self, branches: Sequence[Branch], level: int, place: int, data: Expr, image: Image
    ) -> Expr:
        first = branches[0][level]
        rank = len(get_static_shape(branches[0][0]) or ())
        args = []
        for other in range(len(first.args)):
            if other == place:
                args.append(data)
                continue
            fields = []
            for branch in branches:
                arg = branch[level].args[other]
                missing = rank - len(get_static_shape(arg) or ())
                field = image(arg)
                if missing:
                    field = relay_call(
                        "expand_dims", field, span=first.span, axis=0, num_newaxis=missing
                    )
                fields.append(field)
            args.append(relay_call("stack", fields, span=first.span, axis=0))
        return first.with_fields(args=args)

    def results(self, data: Expr, branches: Sequence[Branch]) -> list[Expr]:
        span = branches[0][-1].span
        parts = relay_call("split", data, span=span, indices_or_sections=len(branches), axis=0)
        return [
            relay_call(
                "squeeze",
                TupleGetItem(parts, place, span=branch[-1].span),
                span=branch[-1].span,
                axis=(0,),
            )
            for place, branch in enumerate(branches)
        ]


def _kind(arg: Expr) -> object:
    return get_static_shape(arg), dtype_of(arg)

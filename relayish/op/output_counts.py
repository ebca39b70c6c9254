"""Result counts of the operators that have several results."""

from __future__ import annotations

from typing import Any, Final

from relayish.ir.relay.expr import Expr, Tuple
from relayish.ir.relay.type import TupleType
from relayish.op.builders.known_type import find_known_type
from relayish.op.builders.outputs import Count, outputs
from relayish.op.declaration.registry import relay_op


def _count_always(count: int) -> Count:
    return lambda _attrs, _args: count


def _count_split(attrs: Any, _args: object) -> int:  # Any: the attributes, here and below
    parts = attrs.indices_or_sections
    return parts if isinstance(parts, int) else len(parts) + 1


def _count_topk(attrs: Any, _args: object) -> int | None:  # Any: as above
    return 2 if attrs.ret_type == "both" else None


def _count_unique(attrs: Any, _args: object) -> int:  # Any: as above
    return 5 if attrs.return_counts else 4


def _count_suppression(attrs: Any, _args: object) -> int | None:  # Any: as above
    return 2 if attrs.return_indices else None


def _count_class_suppression(attrs: Any, _args: object) -> int:  # Any: as above
    return 2 if attrs.output_format == "onnx" else 3


def _count_fields(_attrs: object, args: tuple[Expr, ...]) -> int | None:
    ty = find_known_type(args[0])
    if isinstance(args[0], Tuple):
        return len(args[0].fields)
    return len(ty.fields) if isinstance(ty, TupleType) else None


_COUNTS: Final[dict[str, Count]] = {
    "dft": _count_always(2),
    "dyn.topk": _count_topk,
    "meshgrid": _count_fields,
    "nn.batch_norm": _count_always(3),
    "nn.dropout": _count_always(2),
    "nn.sparse_transpose": _count_always(3),
    "random.multinomial": _count_always(2),
    "random.normal": _count_always(2),
    "random.threefry_generate": _count_always(2),
    "random.threefry_split": _count_always(2),
    "random.uniform": _count_always(2),
    "sparse_fill_empty_rows": _count_always(3),
    "sparse_reshape": _count_always(2),
    "split": _count_split,
    "topk": _count_topk,
    "unique": _count_unique,
    "vision.all_class_non_max_suppression": _count_class_suppression,
    "vision.get_valid_counts": _count_always(3),
    "vision.multibox_transform_loc": _count_always(2),
    "vision.non_max_suppression": _count_suppression,
    "vision.regular_non_max_suppression": _count_always(4),
}


for _name, _count in _COUNTS.items():
    outputs.set(relay_op(_name), _count)

"""How many results the operators have that give several."""

from __future__ import annotations

from typing import Any, Final

from relayish.ir.relay.expr import Expr, Tuple
from relayish.ir.relay.type import TupleType
from relayish.op.known_type import known_type
from relayish.op.outputs import Count, outputs
from relayish.op.registry import relay_op


def _always(count: int) -> Count:
    return lambda _attrs, _args: count


def _of_split(attrs: Any, _args: object) -> int:  # Any: the attributes, here and below
    parts = attrs.indices_or_sections
    return parts if isinstance(parts, int) else len(parts) + 1


def _of_topk(attrs: Any, _args: object) -> int | None:  # Any: as above
    return 2 if attrs.ret_type == "both" else None


def _of_unique(attrs: Any, _args: object) -> int:  # Any: as above
    return 5 if attrs.return_counts else 4


def _of_suppression(attrs: Any, _args: object) -> int | None:  # Any: as above
    return 2 if attrs.return_indices else None


def _of_class_suppression(attrs: Any, _args: object) -> int:  # Any: as above
    return 2 if attrs.output_format == "onnx" else 3


def _of_fields(_attrs: object, args: tuple[Expr, ...]) -> int | None:
    ty = known_type(args[0])
    if isinstance(args[0], Tuple):
        return len(args[0].fields)
    return len(ty.fields) if isinstance(ty, TupleType) else None


_COUNTS: Final[dict[str, Count]] = {
    "dft": _always(2),
    "dyn.topk": _of_topk,
    "meshgrid": _of_fields,
    "nn.batch_norm": _always(3),
    "nn.dropout": _always(2),
    "nn.sparse_transpose": _always(3),
    "random.multinomial": _always(2),
    "random.normal": _always(2),
    "random.threefry_generate": _always(2),
    "random.threefry_split": _always(2),
    "random.uniform": _always(2),
    "sparse_fill_empty_rows": _always(3),
    "sparse_reshape": _always(2),
    "split": _of_split,
    "topk": _of_topk,
    "unique": _of_unique,
    "vision.all_class_non_max_suppression": _of_class_suppression,
    "vision.get_valid_counts": _always(3),
    "vision.multibox_transform_loc": _always(2),
    "vision.non_max_suppression": _of_suppression,
    "vision.regular_non_max_suppression": _always(4),
}


for _name, _count in _COUNTS.items():
    outputs.set(relay_op(_name), _count)

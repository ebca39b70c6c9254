"""Tensors that have come to another layout than they had, and how they come to a third one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from relayish.ir.nodes.span import Span
from relayish.ir.relay.expr import Expr, Tuple, TupleGetItem
from relayish.op.builders.call import relay_call
from relayish.op.declaration.layout_rule import Layout
from relayish.op.declaration.registry import relay_op
from relayish.op.types.layout_algebra import lead_axes, whole_axes

LAYOUT_TRANSFORM: Final = relay_op("layout_transform")


@dataclass(frozen=True, slots=True)
class Arranged:
    """The layout a tensor had, and the one it has come to."""

    before: Layout
    now: Layout

    @property
    def moved(self) -> bool:
        """Whether the two differ."""
        return self.before != self.now


Arrangement: TypeAlias = Arranged | None
"""Of a tensor; ``None`` where nothing is known, and nothing has changed."""
Arrangements: TypeAlias = Arranged | tuple[Arrangement, ...]
"""Of a tensor, or of each field of a tuple of tensors."""


class Arranger:
    """Rearranges tensors: each to each layout once, never there and back."""

    def __init__(self) -> None:
        self._known: dict[tuple[Expr, Layout, Layout], Expr] = {}
        self._sources: dict[tuple[Expr, Layout], tuple[Expr, Layout]] = {}
        self._items: dict[tuple[Expr, int], Expr] = {}

    def arrange(self, value: Expr, source: Layout, target: Layout, span: Span | None) -> Expr:
        """Return ``value``, which is in ``source``, in ``target``; axes it lacks come in front."""
        value, source = self._sources.get((value, source), (value, source))
        if source == target:
            return value
        key = (value, source, target)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = _arrange(value, source, target, span)
        return found

    def note(self, value: Expr, source: Layout, target: Layout, arranged: Expr) -> None:
        """Remember that ``arranged`` is ``value`` in another layout, and holds nothing besides."""
        value, source = self._sources.get((value, source), (value, source))
        self._known.setdefault((value, source, target), arranged)
        self._sources[arranged, target] = (value, source)

    def item(self, value: Expr, index: int) -> Expr:
        """Return a field of a tuple: that of a literal one where it stands."""
        if type(value) is Tuple:
            return value.fields[index]
        found = self._items.get((value, index))
        if found is None:
            found = self._items[value, index] = TupleGetItem(value, index, span=value.span)
        return found

    def restore(self, value: Expr, arrangements: Arrangements) -> Expr:
        """Return ``value`` with every tensor in the layout it had."""
        if isinstance(arrangements, Arranged):
            return self.arrange(value, arrangements.now, arrangements.before, value.span)
        if not any(each is not None and each.moved for each in arrangements):
            return value
        items = [self.item(value, index) for index in range(len(arrangements))]
        fields = [
            item if each is None else self.restore(item, each)
            for item, each in zip(items, arrangements, strict=True)
        ]
        return Tuple(tuple(fields), span=value.span)


def _arrange(value: Expr, source: Layout, target: Layout, span: Span | None) -> Expr:
    missing = len(whole_axes(target)) - len(whole_axes(source))
    if missing > 0:
        source = lead_axes(source, target)
        value = relay_call("expand_dims", value, axis=0, num_newaxis=missing, span=span)
        if source == target:
            return value
    return relay_call(LAYOUT_TRANSFORM, value, src_layout=source, dst_layout=target, span=span)

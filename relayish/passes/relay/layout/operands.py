"""The arguments of one call of an operator, tensor by tensor, each in the layout it has come to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from relayish.ir.relay.expr import Call, Expr, Tuple
from relayish.ir.relay.type import TensorType, TupleType
from relayish.op.declaration.layout_rule import Layout
from relayish.op.types.layout_algebra import lead_axes, rearranges, rename, whole_axes
from relayish.passes.relay.layout.arrangement import Arranged, Arrangement, Arrangements, Arranger


class Slot(NamedTuple):
    """A tensor among the arguments: argument number ``arg``, or field ``field`` of it."""

    arg: int
    field: int | None
    type: TensorType
    arrangement: Arrangement


class _Held(NamedTuple):
    """What is in a slot: its layout in the program as it is, and by now; ``None`` if not known."""

    value: Expr
    before: Layout | None
    now: Layout | None


def find_slots(
    call: Call, arrangements: Callable[[Expr], Arrangements | None]
) -> list[Slot] | None:
    """Return the tensors among the arguments, or ``None`` where there is something else."""
    slots: list[Slot] = []
    for place, arg in enumerate(call.args):
        ty, known = arg.checked_type, arrangements(arg)
        if isinstance(ty, TensorType):
            slots.append(Slot(place, None, ty, known if isinstance(known, Arranged) else None))
            continue
        if not isinstance(ty, TupleType):
            return None
        fields: tuple[Arrangement, ...] = (None,) * len(ty.fields)
        if isinstance(known, tuple):
            fields = known
        for index, (field, arrangement) in enumerate(zip(ty.fields, fields, strict=True)):
            if not isinstance(field, TensorType):
                return None
            slots.append(Slot(place, index, field, arrangement))
    return slots


class Operands:
    """The arguments of one call, as it is to take them.

    Args:
        slots: Its tensors.
        images: Its arguments, in the layouts they have come to.
        restored: The same in the layouts they had, made when asked for.
        names: The layouts they have in the program as it is, in the words of the call.
        arranger: What rearranges.
    """

    def __init__(
        self,
        slots: Sequence[Slot],
        images: Sequence[Expr],
        restored: Callable[[int], Expr],
        names: Sequence[Layout | None],
        arranger: Arranger,
    ) -> None:
        self._slots = slots
        self._images = images
        self._restored = restored
        self._arranger = arranger
        self._held = [self._hold(*each) for each in zip(slots, names, strict=True)]

    @property
    def before(self) -> list[Layout | None]:
        """The layouts that the tensors had."""
        return [held.before for held in self._held]

    @property
    def now(self) -> list[Layout | None]:
        """The layouts that they have come to."""
        return [held.now for held in self._held]

    @property
    def moved(self) -> bool:
        """Whether these differ anywhere."""
        return any(held.before != held.now for held in self._held)

    def _hold(self, slot: Slot, name: Layout | None) -> _Held:
        arrangement = slot.arrangement
        if name is None or arrangement is None or not arrangement.moved:
            return _Held(self._item(self._restored(slot.arg), slot), name, name)
        now = rename(arrangement.now, arrangement.before, name)
        if now is None:
            return _Held(self._item(self._restored(slot.arg), slot), name, name)
        return _Held(self._item(self._images[slot.arg], slot), name, now)

    def _item(self, arg: Expr, slot: Slot) -> Expr:
        return arg if slot.field is None else self._arranger.item(arg, slot.field)

    def args(self) -> list[Expr]:
        """Return the arguments, in the layouts they have come to."""
        return self._assemble(self._images, [held.value for held in self._held])

    def arrange(self, args: Sequence[Expr], targets: Sequence[Layout | None]) -> list[Expr] | None:
        """Return ``args``, which are in the layouts of :attr:`now`, in those of ``targets``.

        A target of ``None`` is the layout before. Returns ``None`` where one is out of reach.
        """
        if len(targets) != len(self._slots):
            return None
        values: list[Expr] = []
        for slot, held, target in zip(self._slots, self._held, targets, strict=True):
            value, wanted = self._item(args[slot.arg], slot), target or held.before
            if held.before is None or held.now is None or wanted is None:
                if target is not None:
                    return None
            elif not _reaches(held.before, wanted, slot.type):
                return None
            else:
                value = self._arranger.arrange(value, held.now, wanted, value.span)
            values.append(value)
        return self._assemble(args, values)

    def _assemble(self, args: Sequence[Expr], values: Sequence[Expr]) -> list[Expr]:
        """Return ``args`` with ``values`` in their slots."""
        made = list(args)
        fields: dict[int, list[Expr]] = {}
        for slot, value in zip(self._slots, values, strict=True):
            if slot.field is None:
                made[slot.arg] = value
            else:
                fields.setdefault(slot.arg, []).append(value)
        for place, inside in fields.items():
            arg = args[place]
            kept = all(value is self._arranger.item(arg, i) for i, value in enumerate(inside))
            if not kept:
                made[place] = Tuple(tuple(inside), span=arg.span)
        return made


def _reaches(before: Layout, target: Layout, ty: TensorType) -> bool:
    """Return whether a tensor can be brought to ``target``, with axes in front that it lacks."""
    missing = len(whole_axes(target)) - len(whole_axes(before))
    shape = (*(1,) * missing, *ty.shape)
    return rearranges(lead_axes(before, target) if missing > 0 else before, target, shape)

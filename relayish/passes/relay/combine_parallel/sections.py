"""Results side by side along one axis: weights are concatenated, results are slices."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from relayish.ir.relay.expr import Call, Expr
from relayish.op.builders.call import relay_call
from relayish.op.declaration.registry import relay_op
from relayish.op.nn.product import BiasAddAttrs
from relayish.passes.relay.combine_parallel.combiner import (
    Branch,
    Combiner,
    Image,
    dtype_of,
    get_static_shape,
    is_map,
    shape_of,
)

_EXPAND_DIMS, _BIAS_ADD = relay_op("expand_dims"), relay_op("nn.bias_add")


class SectionCombiner(Combiner):
    """Concatenates weights; each result is a section of the combined one along an axis."""

    slices_all_axes = True
    """Whether slices name all axes of a result, or those up to the one that is cut."""

    gains_axes = False
    """Whether an operator that follows may give the result further axes in front."""

    def __init__(self) -> None:
        self._axis_of: dict[Call, int] = {}

    @abstractmethod
    def axis(self, root: Call) -> int:
        """Return the axis of the result along which the sections lie."""

    @abstractmethod
    def weight_axis(self, root: Call) -> int:
        """Return the axis along which weights, the second arguments, are concatenated."""

    def units(self, root: Call) -> int:
        """Return how long the section of ``root`` is."""
        shape = get_static_shape(root.args[1])
        assert shape is not None
        return shape[self.weight_axis(root)]

    def join_args(self, calls: Sequence[Call], image: Image) -> tuple[Expr, Expr]:
        """Return the data that all calls share, and their weights side by side."""
        weights = [image(call.args[1]) for call in calls]
        span, axis = calls[0].span, self.weight_axis(calls[0])
        return image(calls[0].args[0]), relay_call("concatenate", weights, span=span, axis=axis)

    def argument_axis(self, rank: int, axis: int) -> int:  # noqa: ARG002
        """Return how the axis is written along which other arguments are concatenated."""
        return axis

    def fit(self, arg: Expr, axis: int, units: int, image: Expr) -> Expr | None:
        """Return ``image``, that of ``arg``, with ``units`` elements along ``axis``.

        Returns:
            ``None`` where it cannot be concatenated.
        """
        shape = get_static_shape(arg)
        fits = shape is not None and 0 <= axis < len(shape) and shape[axis] == units
        return image if fits else None

    def _section_axis(self, call: Call) -> int:
        """Return the axis of the sections in the result of a call of a branch that follows."""
        axis = self._axis_of.get(call)
        return self.axis(call) if axis is None else axis

    def follows(self, branches: Sequence[Branch], level: int, place: int) -> bool:
        for branch in branches:
            call, root = branch[level], branch[0]
            axis = self._follow(call, branch[level - 1], self.units(root))
            if axis is None:
                return False
            self._axis_of[call] = axis
        return all(
            self._fit(branches, level, other)
            for other in range(len(branches[0][level].args))
            if other != place
        )

    def _follow(self, call: Call, parent: Call, units: int) -> int | None:
        """Return the axis of the sections in the result of ``call``, on that of ``parent``.

        Returns:
            ``None`` if it does not do the same in each section.
        """
        before, after, axis = shape_of(parent), shape_of(call), self._section_axis(parent)
        if before is None or after is None:
            return None
        if call.op is _EXPAND_DIMS:
            attrs = call.attrs
            assert attrs is not None
            where = int(str(attrs["axis"]))
            if (where if where >= 0 else where + len(before) + 1) <= axis:
                return None
        else:
            gained = len(after) - len(before)
            if gained and not self.gains_axes:
                return None
            axis += gained
            if not is_map(call) and not _is_bias(call, axis, len(after)):
                return None
        return axis if axis < len(after) and after[axis] == units else None

    def _fit(self, branches: Sequence[Branch], level: int, other: int) -> bool:
        """Return whether an argument of the calls at ``level`` can be concatenated."""
        rests = set()
        for branch in branches:
            call, arg = branch[level], branch[level].args[other]
            shape, after = get_static_shape(arg), shape_of(call)
            assert after is not None
            if shape is None:
                return False
            own_axis = self._axis_of[call] - len(after) + len(shape)
            if self.fit(arg, own_axis, self.units(branch[0]), arg) is None:
                return False
            rest = tuple(size for place, size in enumerate(shape) if place != own_axis)
            rests.add((dtype_of(arg), len(shape), rest))
        return len(rests) == 1

    def combine_level(
        self, branches: Sequence[Branch], level: int, place: int, data: Expr, image: Image
    ) -> Expr:
        first = branches[0][level]
        after = shape_of(first)
        assert after is not None
        axis = self._axis_of[first]
        args = []
        for other in range(len(first.args)):
            if other == place:
                args.append(data)
                continue
            fields = []
            for branch in branches:
                arg = branch[level].args[other]
                rank = len(get_static_shape(arg) or ())
                own_axis = axis - len(after) + rank
                fitted = self.fit(arg, own_axis, self.units(branch[0]), image(arg))
                assert fitted is not None
                fields.append(fitted)
            rank = max(1, len(get_static_shape(first.args[other]) or ()))
            own_axis = self.argument_axis(rank, axis - len(after) + rank)
            args.append(relay_call("concatenate", fields, span=first.span, axis=own_axis))
        return first.with_fields(args=args)

    def results(self, data: Expr, branches: Sequence[Branch]) -> list[Expr]:
        axis, start = self._section_axis(branches[0][-1]), 0
        found: list[Expr] = []
        for branch in branches:
            last, units = branch[-1], self.units(branch[0])
            rank = len(shape_of(last) or ()) if self.slices_all_axes else axis + 1
            begin = [start if place == axis else 0 for place in range(rank)]
            end = [units if place == axis else -1 for place in range(rank)]
            found.append(
                relay_call(
                    "strided_slice",
                    data,
                    span=last.span,
                    begin=begin,
                    end=end,
                    strides=[1] * rank,
                    slice_mode="size",
                    axes=None,
                )
            )
            start += units
        return found


def _is_bias(call: Call, axis: int, rank: int) -> bool:
    """Return whether ``call`` adds a number for each place along ``axis``, the last one."""
    attrs = call.attrs
    if call.op is not _BIAS_ADD or not isinstance(attrs, BiasAddAttrs):
        return False
    return attrs.axis % rank == axis == rank - 1

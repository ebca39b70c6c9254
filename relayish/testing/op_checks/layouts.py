"""Layout rules against values: a call in other layouts has the value of the call as it was."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from relayish.interpreter.value import leaves, map_leaves
from relayish.op.declaration.layout_rule import InferredLayouts, LayoutRule
from relayish.op.declaration.properties import stateful
from relayish.op.layouts.rules import layout_rule
from relayish.op.types.layout import convert_layout
from relayish.op.types.layout_algebra import lead_axes, rearranges, whole_axes
from relayish.op.types.result_size import type_of_value
from relayish.testing.check_grad import Array
from relayish.testing.op_checks.report import Fault, Skipped
from relayish.testing.op_checks.trial import Trial, is_close

_LETTERS: Final = "NCHWDEFGIJ"
_SHUFFLES: Final = 8


def check_layouts(trial: Trial) -> Iterator[Fault]:
    """Yield a fault if a call that the layout rule answers has another value, once moved back."""
    if layout_rule(trial.op) is None:
        raise Skipped("no infer_layout is declared, nor does its pattern tell one")
    trial.needs_value()
    if trial.op in stateful:
        raise Skipped("it is stateful")
    fault = next((each for each in compared_layouts(trial) if each is not None), None)
    if fault is not None:
        yield fault


def compared_layouts(trial: Trial, seed: int = 0) -> Iterator[Fault | None]:
    """Yield what is wrong with each of some calls in other layouts, ``None`` where nothing is.

    The layouts are permutations of those that the rule names, and such with axes in parts. Calls
    that passes would leave as they are do not count.
    """
    rule = layout_rule(trial.op)
    assert rule is not None
    types = tuple([type_of_value(value) for value in trial.sample.values])
    tensors = [leaf for value in trial.sample.values for leaf in leaves(value)]
    if any(leaf.ndim > len(_LETTERS) for leaf in tensors):
        return
    attrs = trial.attrs
    given = [_LETTERS[: leaf.ndim] for leaf in tensors]
    first = rule(attrs, None, given, types)
    if first is None:
        return
    pick = random.Random(f"{trial.op.name} {seed}")  # noqa: S311 - the same in every run
    for place, before in enumerate(first.inputs):
        if before is None or before != whole_axes(before):
            continue
        for target in _targets(before, tensors[place].shape, pick):
            now = [
                target if other == before and rearranges(before, target, leaf.shape) else other
                for other, leaf in zip(first.inputs, tensors, strict=True)
            ]
            after = _answer(rule, attrs, now, first, types)
            if after is not None and _is_taken(first, after, tensors):
                fault = _compare(trial, tensors, first, after)
                if fault is not None or [*first.inputs] != [*after.inputs]:
                    yield fault


def _answer(
    rule: LayoutRule, attrs: Any, now: Any, first: InferredLayouts, types: Any
) -> InferredLayouts | None:  # Any: what a layout rule takes
    return rule(attrs, now, first.inputs, types)


def _targets(layout: str, shape: Sequence[int], pick: random.Random) -> list[str]:
    """Return layouts that a tensor may come in: permutations, and with axes in parts."""
    letters = list(layout)
    found = [layout[:1] + layout[2:] + layout[1:2]]
    for _ in range(_SHUFFLES):
        pick.shuffle(letters)
        found.append("".join(letters))
        for axis, size in zip(layout, shape, strict=True):
            if size % 2 == 0 and pick.random() < 0.5:
                found.append(f"{''.join(letters)}2{axis.lower()}")
    return list(dict.fromkeys(found))


def _is_taken(first: InferredLayouts, after: InferredLayouts, tensors: Sequence[Array]) -> bool:
    """Return whether all arguments can be rearranged so; passes leave the call otherwise."""
    for before, now, leaf in zip(first.inputs, after.inputs, tensors, strict=True):
        if before is None or now is None:
            continue
        source = lead_axes(before, now)
        if not rearranges(source, now, (1,) * (len(source) - len(before)) + leaf.shape):
            return False
    return True


def _compare(
    trial: Trial, tensors: Sequence[Array], first: InferredLayouts, after: InferredLayouts
) -> Fault | None:
    wanted = leaves(trial.value)
    for expected, before, now in zip(wanted, first.outputs, after.outputs, strict=True):
        if before is not None and now is not None and not rearranges(before, now, expected.shape):
            return None  # passes leave the call
    moved = list(map(arranged, tensors, first.inputs, after.inputs))
    rest = iter(moved)
    declared = f"its layout rule takes {_shown(after.inputs)} for {_shown(first.inputs)}"
    advice = "let it answer None where the call would compute something else"
    values = [map_leaves(value, lambda _: next(rest)) for value in trial.sample.values]
    try:
        found = leaves(trial.evaluate(values, after.attrs))
        results = zip(found, wanted, first.outputs, after.outputs, strict=True)
        for result, expected, before, now in results:
            if not is_close(arranged(np.asarray(result), now, before), expected):
                told = f"the result, moved from {now} to {before}, has another value"
                return trial.fault("layouts", declared, told, advice)
    except Exception as error:  # noqa: BLE001 - whatever an evaluation raises
        told = f"a call in these layouts raised {type(error).__name__}: {error}"
        return trial.fault("layouts", declared, told, advice)
    return None


def arranged(value: Array, before: str | None, now: str | None) -> Array:
    """Return a tensor in another layout, with axes in front that it lacks."""
    if now is None or before is None or before == now:
        return value
    source = lead_axes(before, now)
    whole = value.reshape((1,) * (len(source) - len(before)) + value.shape)
    moved: Array = convert_layout(whole, source, now)
    return moved


def _shown(layouts: Sequence[str | None]) -> str:
    return ", ".join([str(layout) for layout in layouts])

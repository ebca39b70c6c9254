"""Calls of operators, lowered and run: random ones by the maker of programs of all operators."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from relayish.analysis.infer_type import infer_type
from relayish.errors import RelayishError
from relayish.interpreter import evaluate
from relayish.ir.relay.module import IRModule
from relayish.passes.relay.lowering.module import Lowering, lower_module
from relayish.passes.relay.lowering.targets import assemble_lowering
from tests.support import operator_programs

DOMAINS = ("nn.", "vision.")
NAMES = tuple(name for name in operator_programs.NAMES if name.startswith(DOMAINS))


def lower_for(mod: IRModule, target: str, **options: Any) -> Lowering:
    """Return ``mod`` lowered for a target."""
    return lower_module(mod, lambda context: assemble_lowering(target, context), **options)


class _OneCall(operator_programs.Maker):
    """Makes one call of an operator of these domains, on numbers of which none is too large."""

    def value(self, ty, small):
        return _tame(super().value(ty, small))

    def names_to_try(self):
        return NAMES


def _tame(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_tame, value))
    if value.dtype.kind != "f":
        return value
    moderate = np.isfinite(value) & (np.abs(value) < 1e3)
    return np.where(moderate, value, value.dtype.type(0.5))[()]


def random_calls(seeds: Iterable[int]) -> Iterator[tuple[int, str, IRModule, list[Any], Any]]:
    """Yield seed, operator, typed module, arguments and value of each program that has one."""
    for seed in seeds:
        maker = _OneCall(seed, 1)
        if not maker.names:
            continue
        result, _ = maker.everything()
        mod = infer_type(maker.module(result))
        args = list(maker.params.values())
        try:
            value = evaluate(mod["main"], mod, args)
        except RelayishError:
            continue
        yield seed, maker.names[0], mod, args, value

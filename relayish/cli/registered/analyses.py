"""Analyses as the registry has them."""

from __future__ import annotations

from typing import Final

from relayish.cli.analyse import AnalysisDescription
from relayish.cli.passes import OptionDescription
from relayish.cli.registered.options import describe_options
from relayish.dataflow.registry import ANALYSES, SOLVER_OPTIONS, AnalysisEntry


def _describe_all() -> list[AnalysisDescription]:
    return [_describe(entry) for entry in ANALYSES.entries()]


def _describe(entry: AnalysisEntry) -> AnalysisDescription:
    return {
        "name": entry.name,
        "direction": entry.direction.value,
        "description": entry.description,
        "options": describe_options(entry.own_options),
    }


def _describe_common() -> list[OptionDescription]:
    return describe_options(SOLVER_OPTIONS)


DESCRIBE: Final = {"analyses": _describe_all, "options of analyses": _describe_common}

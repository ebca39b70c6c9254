"""``relayish diff``: how two models of ONNX differ, or two programs."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Final

from relayish._support.collector import freeze_heap
from relayish._support.printable import escape
from relayish.analysis.operator_counts import list_op_freqs
from relayish.cli.any_file import read_any
from relayish.cli.forms import text_of
from relayish.cli.onnx.differences import diff_models
from relayish.cli.onnx.reading import read_model
from relayish.cli.report import tell
from relayish.errors import ModelError, OptionError
from relayish.pass_infra.instruments.line_diff import diff_lines

EXIT_DIFFERENT: Final = 1
"""The exit code when there is a difference."""
SUFFIX: Final = ".onnx"


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    are_models = [name.endswith(SUFFIX) for name in (args.before, args.after)]
    if are_models[0] != are_models[1]:
        raise OptionError(
            f"{args.before} and {args.after} cannot be compared: one is a model of ONNX, by its "
            f"name, the other is none; expected two models, or two programs"
        )
    with freeze_heap():
        found = list(_diff_models(args) if are_models[0] else _diff_programs(args))
    tell("".join(f"{escape(line)}\n" for line in found))
    return EXIT_DIFFERENT if found else 0


def _diff_models(args: argparse.Namespace) -> Iterator[str]:
    models = [read_model(name) for name in (args.before, args.after)]
    for model in models:
        try:
            model.to_module()  # which finds what is wrong with a model
        except ModelError as error:
            raise ModelError(f"{model.path} is no valid model: {error}") from error
    yield from diff_models(models[0], models[1])


def _diff_programs(args: argparse.Namespace) -> Iterator[str]:
    """Yield operators by count, and the lines of text that differ."""
    texts, counts = [], []
    for name in (args.before, args.after):
        given = read_any(name, allow_unknown_ops=args.allow_unknown_ops)
        mod = given.mod
        texts.append(text_of(mod, given.form).splitlines())
        counts.append(list_op_freqs(mod) if "main" in mod else {})
    for name in sorted(counts[0].keys() | counts[1].keys()):
        was, now = counts[0].get(name, 0), counts[1].get(name, 0)
        if was != now:
            yield f"{name}: {was:,} -> {now:,}"
    yield from diff_lines(texts[0], texts[1], (args.before, args.after))

"""Golden programs: what passes make of programs, as text, in files of tests/cases.

A case is a program before, and after; a file holds any number of them, one below the other::

    // run: FoldConstant{fold_qnn=true}
    // What the case shows, in one sentence.
    // evaluate: (3, True)
    def @main(...) { ... }
    ==>
    def @main(...) { ... }

``// run:`` is the pipeline. Where a pass gives back the very program, ``==> the same`` ends the
case; where it refuses, ``==> PassError: part of the message``, with ``...`` for what may be. The
line ``// evaluate:`` may be left out; with it, ``@main`` of both programs returns the same for
these arguments, or the only function, of loops, leaves the same in them.

python -m tests.support.goldens tests/cases/rewrites/LambdaLift.relay  # writes anew what comes out
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from relayish import errors, tir
from relayish.analysis import well_formed
from relayish.analysis.infer_type import infer_type
from relayish.interpreter import evaluate, same_value
from relayish.ir.relay.expr import Function
from relayish.ir.relay.module import IRModule
from relayish.text import astext
from relayish.transform import PassContext, parse_pipeline
from tests.support.recorded import assert_same_program, with_names_in_order
from tests.support.typed_text import HEADER, program

CASES = Path(__file__).parent.parent / "cases"
_CASE = re.compile(
    r"(?P<head>// run: (?P<pipeline>.*)\n// (?P<shows>.*)\n(// evaluate: (?P<arguments>.*)\n)?)"
    r"(?P<before>(?s:.*?))\n==>(?: (?P<answer>.*))?(?P<after>(?s:.*))"
)

FINDS_MORE = frozenset(
    {"EraseType", "FirstOrderGradient", "FullInline", "InlineCompilerFunctionsBoundTo"}
    | {"PartialEvaluate", "PartitionANF", "ToMixedPrecision"}
)
"""Passes that have something to do in what they made; all others give that back as it is."""


class Golden(NamedTuple):
    """A case: what is run, what that shows, and the programs."""

    pipeline: str
    shows: str
    head: str
    arguments: str | None
    before: str
    answer: str | None
    after: str


def read_goldens(path: Path) -> dict[str, Golden]:
    """Return the cases of a file by what they show."""
    found = {}
    for text in re.split(r"\n+(?=// run: )", path.read_text().strip()):
        match = _CASE.fullmatch(text)
        assert match is not None, f"{path.name} has a case of another form: {text[:80]!r}"
        case = Golden(**{name: match[name] for name in Golden._fields})
        assert case.shows not in found, f"{path.name} shows twice: {case.shows}"
        one = case.answer is None or not case.after.strip()
        assert one, f"{path.name} has more behind the answer: {case.shows}"
        found[case.shows] = case
    return found


def run_golden(case: Golden) -> IRModule:
    """Return what the pipeline of a case makes of its program."""
    return run_pipeline(case.pipeline, program(case.before))


def run_pipeline(pipeline: str, mod: IRModule) -> IRModule:
    """Return what a pipeline makes of a module, run as a whole, whatever its level."""
    with PassContext(opt_level=4):
        return parse_pipeline(pipeline)(mod)


def check_kept(pipeline: str, mod: IRModule) -> None:
    """Check that a pipeline gives back the very module, once it has types."""
    typed = infer_type(mod)
    assert run_pipeline(pipeline, typed) is typed


def check_golden(case: Golden) -> None:
    """Check that a pipeline does what a case says, and nothing more where it is run again."""
    if case.answer == "the same":
        check_kept(case.pipeline, program(case.before))
        return
    if case.answer is not None:
        kind, _, message = case.answer.partition(": ")
        pattern = re.escape(message).replace(re.escape("..."), ".*")
        with pytest.raises(getattr(errors, kind), match=pattern):
            run_golden(case)
        return
    found = run_golden(case)
    typed = infer_type(found)
    assert_same_program(typed, HEADER + case.after)
    functions = [func for func in found.functions.values() if isinstance(func, Function)]
    assert all(map(well_formed, functions))
    assert not _faults(found) or _faults(program(case.before))
    if FINDS_MORE.isdisjoint(pass_.info.name for pass_ in parse_pipeline(case.pipeline).passes):
        check_kept(case.pipeline, typed)
    if case.arguments is not None:
        arguments = ast.literal_eval(case.arguments)
        mods = (program(case.before), found)
        before, after = (_result(mod, arguments) for mod in mods)
        assert same_value(before, after)


def _result(mod: IRModule, arguments: tuple[Any, ...]) -> object:  # Any: numbers, lists of them
    """Return what ``@main`` returns, or what the only function of loops leaves in its arguments."""
    if "main" in mod:
        return evaluate(mod["main"], mod, arguments)
    [func] = mod.functions_of(tir.LoweredFunc).values()
    given = [
        np.array(value, arg.dtype.numpy) if isinstance(arg, tir.Buffer) else value
        for arg, value in zip(func.args, arguments, strict=True)
    ]
    tir.run(func, *given)
    return tuple(given)


def _faults(mod: IRModule) -> list[object]:
    """Return what is wrong with the functions of loops."""
    return [
        each for func in mod.functions_of(tir.LoweredFunc).values() for each in tir.verify(func)
    ]


def rewrite_goldens(path: Path) -> None:
    """Write into a file what comes out of its cases now; errors and answers stay."""
    texts = []
    for case in read_goldens(path).values():
        after = f"==> {case.answer}"
        if case.answer is None:
            found = with_names_in_order(run_golden(case))
            text = astext(found, show_meta_data=False, annotate=lambda _: "")
            after = "==>\n" + text.removeprefix(HEADER).strip().replace("\n\n", "\n")
        texts.append(f"{case.head}{case.before}\n{after}\n")
    path.write_text("\n".join(texts))


if __name__ == "__main__":
    for name in sys.argv[1:]:
        rewrite_goldens(Path(name))

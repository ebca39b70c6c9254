"""The ONNX tests of nodes, compiled: how many are, how many give what is expected, and the others.

python -m tests.support.compiled_onnx                         # all of them
python -m tests.support.compiled_onnx --only test_top_k       # those whose name begins so
python -m tests.support.compiled_onnx --beside verdicts.json  # what tests.support.emx_onnx found
"""

from __future__ import annotations

import argparse
import collections
import json
import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from onnx.backend.test.runner import Runner, _normalize_tensor

from relayish.codegen.c.network import lower_network, order_calls
from relayish.errors import RelayishError
from relayish.frontend.onnx import from_onnx
from relayish.ir.relay.expr import Function, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TensorType
from tests.support.compiled_loops import TOGETHER
from tests.support.compiled_operators import (
    Drawn,
    Tried,
    is_static,
    leaves,
    outcomes,
)
from tests.support.onnx_models import atol_of, suite_cases
from tests.support.operator_programs import Substitution, constant_of

FAULTS = (ValueError, TypeError, IndexError, AssertionError, AttributeError, RuntimeError)
"""Errors that nothing of relayish should end in; those of ONNX itself are among them."""

FEW = 200
"""Inputs that have no more elements are bound where sizes depend on them."""


def is_of_tensors(case: Any) -> bool:
    """Return whether a test is given and gives tensors of numbers alone."""
    infos = [*case.model.graph.input, *case.model.graph.output]
    if any(info.type.WhichOneof("value") != "tensor_type" for info in infos):
        return False
    given, expected = case.data_sets[0]
    values = [each for part in (given, expected) for each in part]
    return all(np.asarray(_normalize_tensor(v)).dtype.kind in "biufV" for v in values)


def made(case: Any) -> Tried | str:
    """Return a test as loops; if it cannot be written so, why."""
    given, expected = case.data_sets[0]
    inputs = [np.asarray(_normalize_tensor(each)) for each in given]
    wanted = [_normalize_tensor(each) for each in expected]
    reason = ""
    for bind in (False, True):
        try:
            mod, args = _bound(case, inputs, bind=bind)
            loops = lower_network(mod, case.name)
            network = order_calls(loops, case.name)
        except RelayishError as error:
            found = f"{type(error).__name__}: {error}"
        except FAULTS as error:
            found = f"a fault, {type(error).__name__}: {error}"
        else:
            if is_static(network.result):
                kind = case.model.graph.node[0].op_type
                return Tried(Drawn(kind, case.name, mod, args, wanted), loops, network)
            found = f"the sizes of {network.result} are known when it runs only"
        reason = reason or found
    return reason


def _bound(case: Any, inputs: list[Any], *, bind: bool) -> tuple[IRModule, list[Any]]:
    """Return the model of a test, small inputs of which are bound if asked for, and the others."""
    mod = from_onnx(case.model)
    main: Any = mod["main"]
    images: dict[Var, Any] = {}
    params, args = [], []
    are_numbers = all(not each.ndim for each in inputs)
    for place, (param, value) in enumerate(zip(main.params, inputs, strict=True)):
        is_size = are_numbers or (value.ndim < 2 and value.dtype.kind in "iu")
        if bind and (place or is_size) and value.size <= FEW:
            images[param] = constant_of(value)
            continue
        images[param] = Var(param.name_hint, TensorType(value.shape, value.dtype.name))
        params.append(images[param])
        args.append(value)
    func = Function(tuple(params), Substitution(images).visit(main.body), attrs=main.attrs)
    others = {var: each for var, each in mod.functions.items() if var.name_hint != "main"}
    return IRModule({case.name: func}, attrs=mod.attrs).with_functions(others), args


def results(cases: list[Any]) -> Iterator[tuple[str, str]]:
    """Yield the name of each test, and ``""`` where it is right, else what is not."""
    pending: list[Tried] = []
    by_name = {case.name: case for case in cases}

    def differs(drawn: Drawn, found: Any) -> str | None:
        case = by_name[drawn.name]
        try:
            Runner.assert_similar_outputs(drawn.value, leaves(found), case.rtol, atol_of(case))
        except AssertionError as error:
            return " ".join(str(error).split())
        return None

    def settle() -> Iterator[tuple[str, str]]:
        if not pending:
            return
        wrong = {drawn.name: told for drawn, told in outcomes(pending, differs, ("C",))}
        for each in pending:
            told = wrong.get(each.drawn.name, "")
            refused = "CodegenError" in told or "VerificationError" in told
            yield each.drawn.name, told and f"{'' if refused else 'differs: '}{told}"
        pending.clear()

    for case in cases:
        found = made(case)
        if isinstance(found, str):
            yield case.name, found
            continue
        pending.append(found)
        if len(pending) == TOGETHER:
            yield from settle()
    yield from settle()


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="")
    parser.add_argument("--beside", type=Path, nargs="*", default=[])
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    named = [case for case in suite_cases() if case.kind == "node"]
    cases = [each for each in named if each.name.startswith(options.only)]
    static = [case for case in cases if is_of_tensors(case)]
    with np.errstate(all="ignore"):
        found = dict(results(static))
    right = sum(not told for told in found.values())
    differ = sum(told.startswith("differs") for told in found.values())
    for name, told in found.items():
        if told:
            sys.stdout.write(f"{name}: {' '.join(told.split())[:300]}\n")
    kinds = collections.Counter(_kind(told) for told in found.values() if told)
    for kind, count in kinds.most_common(60):
        sys.stdout.write(f"{count:5} {kind}\n")
    sys.stdout.write(
        f"of {len(cases)} tests {len(static)} are of tensors of numbers; {right + differ} are "
        f"compiled, {right} are right, {differ} differ\n"
    )
    if options.write:
        options.write.write_text(json.dumps(found, indent=1), encoding="utf-8")
    others: dict[str, str] = {}
    for path in options.beside:
        others |= json.loads(path.read_text(encoding="utf-8"))
    if others:
        both = [name for name in found if name in others]
        ours, theirs = (
            {name for name in both if mark(said[name])}
            for said, mark in ((found, lambda told: not told), (others, "right".__eq__))
        )
        sys.stdout.write(
            f"of {len(both)} that emx-onnx-cgen was tried on as well, it is right in "
            f"{len(theirs)}, relayish in {len(ours)}, both in {len(ours & theirs)}\n"
        )
    return 0


def _kind(told: str) -> str:
    """Return what tests have in common that are refused for one reason."""
    told = told.replace("\n", " ")
    for form in (
        r"'(onnx::\w+|[\w.]+)' (?:is|has)",
        r"domain '[\w.]+', met at ([\w.:]+)",
        r"UnlowerableError: ([\w.:]+)",
        r"CodegenError: ([\w.:]+) is no call",
    ):
        found = re.search(form, told)
        if found:
            return f"{told.split(':')[0]}: {found[1]}"
    return told[:100]


if __name__ == "__main__":
    sys.exit(main())

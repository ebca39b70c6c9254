"""Evaluations that TVM recorded, compiled: how many are right, and why others are not compiled.

python -m tests.support.compiled_recordings  # where the environment names their folder
"""

from __future__ import annotations

import gzip
import json
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from relayish.analysis.static_shape import get_static_shape
from relayish.codegen.c.network import lower_network, order_calls
from relayish.errors import RelayishError
from relayish.ir.relay.expr import GlobalVar, Op
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import TensorType
from relayish.pass_infra import Sequential
from relayish.text import parse
from tests.op.test_recorded import COUNTED_WITHOUT_FRACTION, agrees, passed, value
from tests.support.compiled_loops import TOGETHER
from tests.support.compiled_operators import PREPARED, Drawn, Tried, is_static, outcomes
from tests.support.operator_programs import Substitution, constant_of
from tests.support.shared_data import shared_path


def recorded() -> Iterator[Drawn | str]:
    """Yield the recorded evaluations whose sizes are known; of others, what is not."""
    with gzip.open(shared_path("corpus/evals.jsonl.gz"), "rt") as lines:
        cases = [json.loads(line) for line in lines]
    for number, case in enumerate(cases):
        name = f"recorded_{number}"
        mod = parse(case["mod"])
        func: Any = mod[case["entry"]]
        names = [param.name_hint for param in func.params]
        stored = dict(zip(names, case["args"], strict=False)) | case["kwargs"]
        args = [passed(stored[param.name_hint], param) for param in func.params]
        calls = [node.name for node in EXPRESSIONS.pre_order(func) if isinstance(node, Op)]
        if number in COUNTED_WITHOUT_FRACTION:
            yield f"{name}: it is counted otherwise, see tests/op/test_recorded.py"
            continue
        try:
            yield _drawn(name, calls[-1] if calls else "", mod, func, args, value(case["out"]))
        except RelayishError as error:
            yield f"{name} ({' '.join(calls)}): {' '.join(str(error).split())}"


def _drawn(name: str, operator: str, mod: Any, func: Any, args: list[Any], out: Any) -> Drawn:
    """Return an evaluation as a call; where sizes depend on parameters, these are bound."""
    reason = ""
    for bind in (False, True):
        images = {
            param: constant_of(given)
            for param, given in zip(func.params, args, strict=True)
            if bind and _may_say_sizes(given)
        }
        params = tuple([param for param in func.params if param not in images])
        body = Substitution(images).visit(func.body)
        main = func.with_fields(params=params, body=body, ret_type=None)
        named = mod.with_function(GlobalVar(name), main)
        ready = Sequential(("InferType", "FoldConstant", *PREPARED), opt_level=0)(named)
        if is_static(ready[name].ret_type) and all(map(_is_known, params)):
            given = [a for p, a in zip(func.params, args, strict=True) if p not in images]
            return Drawn(operator, name, ready, given, out)
        reason = f"the sizes of {ready[name].ret_type} are known when it runs only"
    raise RelayishError(reason)


def _as_network(drawn: Drawn) -> Tried | str:
    """Return an evaluation as ``relay.build`` compiles it, but for the level; or why it is not."""
    try:
        loops = lower_network(drawn.mod, drawn.name)
        return Tried(drawn, loops, order_calls(loops, drawn.name))
    except RelayishError as error:
        return f"{type(error).__name__}: {error}"


def _nested(like: Any, leaves: Iterator[Any]) -> Any:
    """Return arrays in tuples that are nested as others are."""
    if isinstance(like, tuple):
        return tuple([_nested(each, leaves) for each in like])
    return next(leaves)[()]


def _may_say_sizes(given: Any) -> bool:
    return isinstance(given, (np.ndarray, np.generic)) and given.ndim < 2 and given.size < 20


def _is_known(param: Any) -> bool:
    ty = param.type_annotation
    return isinstance(ty, TensorType) and get_static_shape(ty) is not None


def main() -> int:
    warnings.simplefilter("ignore")
    left: list[str] = []
    pending: list[Tried] = []
    right = differ = 0

    def differs(drawn: Drawn, found: Any) -> str | None:
        expected = drawn.value
        results = _nested(expected, iter(found))
        return None if agrees(results, expected) else f"expected {expected}, found {results}"

    def settle() -> None:
        nonlocal right, differ
        wrong = list(outcomes(pending, differs, ("C",)))
        for drawn, told in wrong:
            left.append(f"{drawn.name} ({drawn.operator}): {' '.join(told.split())}")
            differ += told.startswith("C:")
        right += len(pending) - len(wrong)
        pending.clear()

    total = 0
    for each in recorded():
        total += 1
        found = each if isinstance(each, str) else _as_network(each)
        if isinstance(found, str):
            name = "" if isinstance(each, str) else f"{each.name} ({each.operator}): "
            left.append(f"{name}{' '.join(found.split())}")
            continue
        pending.append(found)
        if len(pending) == TOGETHER:
            settle()
    settle()
    sys.stdout.write("".join([f"{line[:240]}\n" for line in left]))
    sys.stdout.write(
        f"of {total} recorded evaluations {right + differ} are compiled, {right} of these right\n"
    )
    return bool(differ)


if __name__ == "__main__":
    sys.exit(main())

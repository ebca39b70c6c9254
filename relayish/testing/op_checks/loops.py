"""Loops against values: what an operator becomes as loops, and as C, computes the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from relayish.codegen import build_network
from relayish.errors import CodegenError, DispatchError, UnlowerableError
from relayish.interpreter import create_executor
from relayish.interpreter.dynamic_types import show_value
from relayish.interpreter.value import Evaluated
from relayish.ir.kinds.opcode import domain_of
from relayish.ir.relay.expr import Function
from relayish.ir.relay.module import IRModule
from relayish.passes.relay.to_loops.lower_to_loops import lower_to_loops
from relayish.testing.op_checks.report import Fault, Skipped
from relayish.testing.op_checks.trial import Trial, is_close


def check_loops(trial: Trial) -> Iterator[Fault]:
    """Yield faults if loops, or C where that is asked for, compute something else than numpy."""
    value = trial.needs_value()
    params: Any = trial.call.args  # variables
    mod = IRModule.from_expr(Function(params, trial.call))
    try:
        lowered = lower_to_loops(mod, unlowerable="refuse")
    except UnlowerableError as error:
        raise Skipped(f"it is not written as loops: {error}") from None
    except DispatchError:
        where = domain_of(trial.call).name
        raise Skipped(f"no handler of the domain {where!r} writes it as loops") from None
    except Exception as error:  # noqa: BLE001 - whatever a handler raises
        yield _fault(trial, "loops", f"writing them raised {type(error).__name__}: {error}")
        return
    if lowered is mod:
        raise Skipped("it is not written as loops: it stands in no group")
    ways: list[tuple[str, Callable[[], Any]]] = [
        ("loops", lambda: create_executor(mod=lowered).evaluate())
    ]
    if trial.in_c:
        ways.append(("loops in C", lambda: build_network(mod)))
    for way, build in ways:
        try:
            found = build()(*trial.sample.values)
        except CodegenError as error:
            raise Skipped(f"C cannot say them: {error}") from None
        except Exception as error:  # noqa: BLE001 - whatever a handler made
            yield _fault(trial, way, f"running them raised {type(error).__name__}: {error}")
            return
        if not is_close(found, value):
            yield _fault(trial, way, f"they give {_shown(found)}, and evaluate {_shown(value)}")
            return


def _fault(trial: Trial, way: str, told: str) -> Fault:
    declared = f"it is written as {way}, which compute what evaluate does"
    return trial.fault("loops", declared, told, "mend the handler of the task 'loops'")


def _shown(value: Evaluated) -> str:
    if isinstance(value, tuple):
        return show_value(value)
    numbers = np.array2string(np.asarray(value), threshold=6, edgeitems=2)
    return f"{show_value(value)} {' '.join(numbers.split())}"

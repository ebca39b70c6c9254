"""Operator tests: everything that is declared of an operator is held against what it does."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, TypeAlias

from relayish.errors import EvaluationError, OperatorError, UnknownNameError, suggest
from relayish.ir.relay.expr import Call, Op
from relayish.op.declaration import properties
from relayish.op.declaration.registry import get_op
from relayish.testing.op_checks.gradients import check_gradient
from relayish.testing.op_checks.layouts import check_layouts
from relayish.testing.op_checks.loops import check_loops
from relayish.testing.op_checks.report import Fault, OpCheckReport, Skipped, summarise
from relayish.testing.op_checks.samples import (
    Sample,
    drawn_samples,
    given_sample,
    sample_of_call,
)
from relayish.testing.op_checks.texts import check_chain, check_equality, check_text
from relayish.testing.op_checks.trial import Trial
from relayish.testing.op_checks.values import (
    check_arguments,
    check_commutative,
    check_pattern,
    check_properties,
    check_repeated,
    check_unknown_sizes,
    check_value,
)

Outcome: TypeAlias = tuple[str, Sequence[Fault] | Skipped]

_CHECKS: Final[dict[str, Callable[[Trial], Iterator[Fault]]]] = {
    "value": check_value,
    "arguments": check_arguments,
    "deterministic": check_repeated,
    "unknown sizes": check_unknown_sizes,
    "commutative": check_commutative,
    "pattern": check_pattern,
    "properties": check_properties,
    "gradient": check_gradient,
    "text": check_text,
    "equality": check_equality,
    "layouts": check_layouts,
    "loops": check_loops,
}
"""By name, in the order in which they are made: the value before what needs it."""

_TRIES: Final = 24
"""So many calls are drawn at most, of which some may have no value."""


def opcheck(
    op: Op | Call | str,
    /,
    *args: object,
    only: Iterable[str] | None = None,
    samples: int = 3,
    chain: int = 100_000,
    in_c: bool = False,
    raise_exception: bool = True,
    **attributes: object,
) -> OpCheckReport:
    """Test everything that is declared of an operator, on calls of it.

    The type by the rule is held against the value: shape, element type, how many results; also
    where sizes of arguments are unknown, or have names, of which the rule may say no more than it
    knows. Evaluation leaves its arguments as they are and gives the same value again, unless it
    is declared stateful or random. What is declared of results holds: ``commutative``, that a
    ``pattern`` of elements is one, ``view``, ``mark``, ``outputs``, ``result_size``,
    ``shape_only``. Gradients are those of finite differences, in ``float64``. Text and binary
    form are read back as the same call, whatever its attributes are, and calls are equal where
    these are. Calls in the layouts that its rule takes, and loops, have the value of numpy. A long
    chain of calls can be typed and written.

    Args:
        op: An operator, its name, or a call.
        args: Numbers, arrays, constants, variables of known sizes, of which values are drawn, or
            tuples of these; so are those of a call. Where there are none, calls are drawn of which
            the rule of the operator takes the types.
        only: The checks that are made, by default all: names as the report has them.
        samples: How many calls are drawn.
        chain: How many calls stand on one another in the deepest program.
        in_c: Whether loops are compiled as C and run as well.
        raise_exception: Whether faults are raised, as :meth:`OpCheckReport.check` does, or only
            reported.
        attributes: Those of the operator; one with a name of an option is given by a call.

    Returns:
        What was tried and found; ``print`` shows it as a table.

    Raises:
        OpCheckError: Listing all faults, each with what is declared, what was found, what to do.
        OperatorError: If no arguments are found that the rule takes, and that have a value.
        UnknownNameError: If there is no check of a name in ``only``.
        RelayishError: If such a call cannot be built or typed.

    Source:
        ``torch.library.opcheck``, for its habits.

    Example:
        >>> import numpy as np
        >>> opcheck("cumsum", np.array([1.0, 2.0, 4.0]), axis=0).value
        array([1., 3., 7.])
        >>> print(opcheck("tanh", chain=1000).skipped["commutative"])
        no commutative is declared
    """
    wanted = _wanted(only)
    if isinstance(op, Call):
        if args or attributes or not isinstance(op.op, Op):
            raise OperatorError(
                f"opcheck takes a call of an operator, and nothing beside it; found a call of "
                f"{op.op!r}, {len(args)} arguments, attributes ({', '.join(attributes)})"
            )
        found = op.op
        trials = [Trial(sample_of_call(op), in_c=in_c)]
    else:
        found = get_op(op)
        given = [given_sample(found, args, attributes)] if args else None
        drawn = drawn_samples(found, attributes) if given is None else iter(given)
        trials = _trials(found, drawn, samples, in_c=in_c)
    outcomes = list(_outcomes(trials, wanted))
    if "depth" in wanted:
        outcomes.append(("depth", _outcome(check_chain(trials, chain))))
    shown = tuple([trial.sample.shown for trial in trials])
    report = OpCheckReport(found.full_name, shown, trials[0].value, *summarise(outcomes))
    return report.check() if raise_exception else report


def _wanted(only: Iterable[str] | None) -> Collection[str]:
    """Return the names of the checks to make; that of values is made before all others."""
    known = (*_CHECKS, "depth")
    if only is None:
        return known
    wanted = (only,) if isinstance(only, str) else tuple(only)
    for name in wanted:
        if name not in known:
            raise UnknownNameError(
                f"opcheck has no check {name!r}{suggest(name, known)}; it has {', '.join(known)}"
            )
    return {"value", *wanted}


def _trials(op: Op, drawn: Iterable[Sample], count: int, *, in_c: bool) -> list[Trial]:
    """Return so many trials, of drawn calls those that have a value.

    Where evaluation fails of all of them, otherwise than by refusing their values, one of these is
    returned, for the check of values to say what it raised.
    """
    kept: list[Trial] = []
    failed: list[Trial] = []
    for sample in islice(drawn, max(_TRIES, count)):
        trial = Trial(sample, in_c=in_c)
        outcome = None if sample.is_given or op not in properties.evaluate else _failure(trial)
        if outcome is None:
            kept.append(trial)
        elif not isinstance(outcome, EvaluationError):
            failed.append(trial)
        if len(kept) >= count:
            break
    if not kept and not failed:
        raise OperatorError(
            f"opcheck found no arguments on which {op.full_name} has a value; give some: "
            f"opcheck({op.full_name!r}, np.ones((2, 3)), ...)"
        )
    return kept or failed[:1]


def _failure(trial: Trial) -> Exception | None:
    """Return why a call has no value: positions that were drawn may be out of bounds."""
    try:
        trial.evaluate()
    except Exception as error:  # noqa: BLE001 - whatever an evaluation raises
        return error
    return None


def _outcomes(trials: Sequence[Trial], wanted: Collection[str]) -> Iterator[Outcome]:
    for trial in trials:
        for name, check in _CHECKS.items():
            if name in wanted:
                yield name, _outcome(check(trial))


def _outcome(faults: Iterator[Fault]) -> Sequence[Fault] | Skipped:
    try:
        return list(faults)
    except Skipped as reason:
        return reason

"""Text and comparison of calls: attributes come back as they were, also odd ones, at any depth."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from relayish.analysis.infer_type import infer_type
from relayish.binary import from_binary, to_binary
from relayish.errors import RelayishError
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.equality.structural_hash import structural_hash
from relayish.ir.relay.expr import Call, Function, Tuple
from relayish.ir.values.literal import is_same_literal
from relayish.testing.op_checks.report import Fault, Skipped
from relayish.testing.op_checks.trial import Trial
from relayish.text import astext, parse_expr

_ODD: Final = (
    *(float("nan"), float("inf"), -0.0, 5e-324, 1 / 3, 1e300),
    *(0, -1, 2**40, True, None, "", 'a "quoted"\n\\ ü', (), (1, -2), (0.1,), ("a", "")),
)
"""Values that are put in the place of each attribute, where they are taken."""


def check_text(trial: Trial) -> Iterator[Fault]:
    """Yield a fault if text or binary form of the call is read as another."""
    attrs = trial.call.attrs
    odd = () if attrs is None else _variants(attrs, together=True)
    calls = [trial.call, *[trial.call.with_fields(attrs=each) for each in odd]]
    if _lost(trial, calls) is None:
        return
    yield next(fault for call in calls if (fault := _lost(trial, [call])) is not None)


def _lost(trial: Trial, calls: Sequence[Call]) -> Fault | None:
    """Return the fault of calls that are written together; it tells of the first."""
    params: Any = trial.call.args  # variables
    func = Function(params, Tuple(tuple(calls)))
    shown = _shown(calls[0].attrs)
    for form, write in _FORMS.items():
        declared = f"a call with {shown} has a {form}"
        advice = f"annotate the fields of its attributes with types that have a {form}"
        try:
            again = write(func)
        except Exception as error:  # noqa: BLE001 - whatever a class of attributes raises
            told = f"that cannot be read: {type(error).__name__}: {error}"
            return trial.fault("text", declared, told, advice)
        if not structural_equal(func, again):
            first = again.body.fields[0]
            told = f"it is read as {_shown(first.attrs)}"
            return trial.fault("text", declared, told, advice)
    return None


_FORMS: Final[dict[str, Callable[[Function], Any]]] = {  # Any: what is read, again a function
    "text": lambda func: parse_expr(astext(func)),
    "binary form": lambda func: from_binary(to_binary(func)),
}


def check_equality(trial: Trial) -> Iterator[Fault]:
    """Yield faults if calls with equal attributes differ, or calls with other ones are equal."""
    call, attrs = trial.call, trial.call.attrs
    if attrs is None or not attrs.field_names:
        raise Skipped("it has no attributes")
    advice = "let attributes be compared by all their fields"
    same = call.with_fields(attrs=type(attrs)(**dict(attrs.items())))
    alike = attrs == same.attrs and hash(attrs) == hash(same.attrs) and structural_equal(call, same)
    if not alike or structural_hash(call) != structural_hash(same):
        yield trial.fault("equality", "calls with equal attributes are equal",
                          f"two with {_shown(attrs)} are not", advice)  # fmt: skip
    for odd in _variants(attrs, together=False):
        differs = any(not is_same_literal(value, odd.get(name)) for name, value in attrs.items())
        is_same = structural_equal(call, call.with_fields(attrs=odd))
        if differs and (is_same or (attrs == odd and _values(attrs) != _values(odd))):
            yield trial.fault("equality", "calls with other attributes are unequal",
                              f"those with {_shown(attrs)} and {_shown(odd)} are equal",
                              advice)  # fmt: skip
            return


def _values(attrs: Attrs) -> list[object]:
    return [value for _, value in attrs.items()]


def _variants(attrs: Attrs, *, together: bool) -> Iterator[Attrs]:
    """Yield attributes with odd values where these are taken: in one field, or in all of them."""
    taken = {name: list(_taken(attrs, name)) for name in attrs}
    if not together:
        yield from (
            attrs.with_values(**{n: value}) for n, values in taken.items() for value in values
        )
        return
    for number in range(max(map(len, taken.values()), default=0)):
        odd = {n: values[number % len(values)] for n, values in taken.items() if values}
        try:
            yield attrs.with_values(**odd)
        except (RelayishError, TypeError, ValueError):
            yield from (attrs.with_values(**{name: value}) for name, value in odd.items())


def _taken(attrs: Attrs, name: str) -> Iterator[object]:
    for value in _ODD:
        try:
            attrs.with_values(**{name: value})
        except (RelayishError, TypeError, ValueError):
            continue
        yield value


def _shown(attrs: Attrs | None) -> str:
    items = [] if attrs is None else [f"{name}={value!r}" for name, value in attrs.items()]
    return ", ".join(items) or "no attributes"


def check_chain(trials: Sequence[Trial], length: int) -> Iterator[Fault]:
    """Yield a fault if calls on results of calls, so many, cannot be typed and written."""
    for trial in trials:
        types = [arg.checked_type for arg in trial.call.args]
        fitting = [i for i, ty in enumerate(types) if structural_equal(ty, trial.ty)]
        if fitting:
            yield from _check_chain(trial, fitting[0], length)
            return
    raise Skipped("no argument has the type of the result")


def _check_chain(trial: Trial, place: int, length: int) -> Iterator[Fault]:
    args = list(trial.call.args)
    params = tuple(args)
    for _ in range(length):
        args[place] = Call(trial.op, tuple(args), trial.call.attrs)
    try:
        astext(infer_type(Function(params, args[place])))  # type: ignore[arg-type]  # variables
    except Exception as error:  # noqa: BLE001 - rules may raise anything
        told = f"inferring and writing it raised {type(error).__name__}: {error}"
        yield trial.fault("depth", f"a chain of {length:,} calls has a type, as one has", told,
                          "let the rule look at the types alone that it is given")  # fmt: skip

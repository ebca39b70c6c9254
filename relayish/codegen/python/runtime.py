"""The runtime of generated source: values, shared computations, frames, operators."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final, NoReturn

from relayish.errors import EvaluationError
from relayish.interpreter.call import evaluate_call
from relayish.interpreter.code import skip_depth
from relayish.interpreter.failures import refuse_match
from relayish.interpreter.matching import match_pattern
from relayish.interpreter.value import ConstructorValue, Evaluated, RefValue
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.relay.adt import Constructor, Pattern
from relayish.ir.relay.expr import Op
from relayish.ir.relay.op import op_of
from relayish.ir.scopes.scoping import binders
from relayish.op.declaration import properties

__all__ = [
    "Frame",
    "Make",
    "Matching",
    "Operator",
    "RefValue",
    "call_with",
    "close",
    "evaluate",
    "once",
    "unmatched",
    "write",
]


def evaluate(
    op: str | Op, /, *args: Evaluated, attrs: Attrs | None = None, **values: object
) -> Evaluated:
    """Return the value of an operator on ``args``, with attributes by name.

    Raises:
        EvaluationError: If the operator cannot be evaluated on these.
    """
    known = op if isinstance(op, Op) else op_of(op)
    if values:
        kind = properties.attrs_type.get(known)
        if kind is None:
            raise EvaluationError(f"operator {known.full_name} has no attributes; found {values!r}")
        attrs = kind(**values)
    return evaluate_call(known, attrs, args)


class Operator:
    """An operator as a value, which may be called."""

    __slots__ = ("op",)

    def __init__(self, op: str | Op) -> None:
        self.op: Final = op if isinstance(op, Op) else op_of(op)

    def __call__(self, *args: Evaluated, attrs: Attrs | None = None) -> Evaluated:
        """Return its value on ``args``."""
        return evaluate_call(self.op, attrs, args)


def call_with(attrs: Attrs, function: Callable[..., Evaluated], *args: Evaluated) -> Evaluated:
    """Call ``function``, with attributes if it is an operator."""
    return function(*args, attrs=attrs) if isinstance(function, Operator) else function(*args)


class Make:
    """A constructor of an algebraic data type, which is called with the fields."""

    __slots__ = ("constructor", "tag")

    def __init__(self, constructor: Constructor) -> None:
        self.constructor = constructor
        self.tag = constructor.tag

    def __call__(self, *fields: Evaluated) -> ConstructorValue:
        """Return the value built from ``fields``."""
        if len(fields) != len(self.constructor.inputs):
            raise EvaluationError(
                f"constructor {self.constructor.name_hint} takes {len(self.constructor.inputs)} "
                f"fields; found a call with {len(fields)}"
            )
        return ConstructorValue(self.tag, fields, self.constructor)

    def built(self, value: ConstructorValue) -> bool:
        """Tell whether ``value`` is built by it."""
        return value.constructor is self.constructor


class Matching:
    """A pattern too large to be spelt out, or of a kind of its own."""

    __slots__ = ("_binders", "pattern")

    def __init__(self, pattern: Pattern) -> None:
        self.pattern = pattern
        self._binders = binders(pattern)

    def __call__(self, value: Evaluated) -> tuple[Evaluated, ...] | None:
        """Return what the variables stand for in ``value``, in order; ``None`` if it differs."""
        found = match_pattern(self.pattern, value)
        if found is None:
            return None
        values = dict(found)
        return tuple([values[var] for var in self._binders])


def unmatched(value: Evaluated) -> NoReturn:
    """Raise for a value that no clause of a match covers."""
    refuse_match(value)


def write(ref: RefValue, value: Evaluated) -> tuple[()]:
    """Store ``value`` in ``ref``."""
    ref.value = value
    return ()


def close(function: Callable[..., Evaluated], frame: Frame, count: int) -> Callable[..., Evaluated]:
    """Return a function of ``count`` arguments, given to ``function`` behind ``frame``."""
    closed: Callable[..., Evaluated] = _closing(count)(function, frame)
    return closed


@functools.cache
def _closing(count: int) -> Callable[..., Callable[..., Evaluated]]:
    # with so many parameters and no star, which Python would call by its own stack
    params = [f"x{index}" for index in range(count)]
    head = f"lambda {', '.join(params)}" if params else "lambda"
    source = f"lambda function, frame: {head}: function({', '.join(['frame', *params])})"
    made: Callable[..., Callable[..., Evaluated]] = eval(source)  # noqa: S307 - our own
    return made


def once(compute: Callable[[], Evaluated]) -> Callable[[], Evaluated]:
    """Return a function that calls ``compute`` the first time, and then knows the value."""
    known: list[Evaluated] = []

    def value() -> Evaluated:
        if not known:
            known.append(compute())
        return known[0]

    return value


class Frame:
    """Variables of an activation that functions outside of its text read.

    ``frame[level]`` is the frame of the activation around it that has so many around itself; it is
    found in logarithmically many steps.
    """

    def __init__(self, outer: Frame | None = None) -> None:
        self.outer = outer
        self.level: int = 0 if outer is None else outer.level + 1
        self.skip: Frame | None = outer
        if outer is not None and self.level > 1 and skip_depth(self.level) != self.level - 1:
            near = outer.skip
            self.skip = None if near is None else near.skip

    def __getitem__(self, level: int) -> Any:  # Any: a frame has the attributes of a program
        frame: Frame | None = self
        while frame is not None and frame.level > level:
            skip = frame.skip
            frame = skip if skip is not None and skip.level >= level else frame.outer
        return frame

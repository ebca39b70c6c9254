"""Every error relayish raises on purpose.

A message says what was found and where, what was expected, and what to do. All of them are
:class:`RelayishError`, so one ``except`` catches whatever the library has to say; each is also the
built-in exception a Python programmer would expect at that place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from relayish._support.printable import escape, message_text
from relayish._support.retired import find_retired


class _Message(Exception):  # noqa: N818 - what errors and warnings have in common
    """Something that is told to people: whatever it quotes, without control characters, and short.

    See :func:`~relayish._support.printable.message_text`.
    """

    def __init__(self, *args: object, **named: object) -> None:
        shown = [message_text(arg) if type(arg) is str else arg for arg in args]
        super().__init__(*shown, **named)

    def add_note(self, note: str, /) -> None:
        """Add a note."""
        super().add_note(message_text(note))


class RelayishError(_Message):
    """The root of every error raised by relayish itself."""


class RelayishWarning(_Message, UserWarning):
    """The root of every warning given by relayish itself."""


class DeclarationError(RelayishError, TypeError):
    """A node, functor, operator, attribute or pass was declared in a way that cannot work."""


class UndeclaredError(DeclarationError, AttributeError):
    """A class was not told something that its instances need."""


class ContradictionError(DeclarationError):
    """What is declared of an operator contradicts itself, as its rule and its evaluation may."""


class FieldError(RelayishError, TypeError):
    """A node was built with a field of the wrong type or value."""


class FieldIndexError(FieldError, IndexError):
    """A tuple, or a call with several results, has no field of that index."""


class FrozenNodeError(RelayishError, AttributeError):
    """Somebody assigned to, or deleted, a field of an immutable node."""


class DispatchError(RelayishError, TypeError):
    """A functor met a node for which it has no handler, or something that is no node."""


class UnknownKindError(DispatchError):
    """A kind of node lacks what some part of the library needs to know of it; says what to add."""


class EndlessRecursionError(RelayishError, RecursionError):
    """The handlers of a functor call each other without end."""


class UnknownNameError(RelayishError, KeyError):
    """A name (operator, pass, global, attribute, option) is not known."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class MissingNameError(RelayishError, AttributeError):
    """A module or object lacks a name of which it is known what to write instead.

    It is raised with the ``name``, so that Python, from 3.12 on, guesses at no other beside.
    """


class MissingImportError(RelayishError, ImportError):
    """The same, met by ``from module import name``, which drops what an ``AttributeError`` says."""


class AmbiguousNameError(UnknownNameError):
    """Several things have a name, and nothing says which is meant."""


class UnvisitedNodeError(RelayishError, KeyError):
    """The memo of a functor was asked for the result of a node that has none yet."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class DuplicateNameError(RelayishError, ValueError):
    """Two things claim one name."""


class OperatorError(RelayishError, ValueError):
    """An operator was called with arguments or attributes it does not accept."""


class BuilderError(RelayishError, ValueError):
    """The calls of a builder do not make up a program."""


class ScheduleError(RelayishError, ValueError):
    """A step of a schedule would change what a program of loops computes, or cannot be taken."""


class LoweringError(RelayishError, ValueError):
    """Tensors cannot be made a function: something is not given, or named twice."""


class CodegenError(RelayishError, ValueError):
    """A program cannot be written in another language, or what was written cannot be compiled."""


class Diagnostic(NamedTuple):
    """One thing that is wrong with a program.

    ``span`` is the place in the text, a :class:`~relayish.ir.nodes.span.Span`, where it is known,
    and ``definition`` the function (``@main``) it stands in, or ``""``.
    """

    message: str
    span: tuple[str, int, int, int, int] | None = None
    definition: str = ""

    def __str__(self) -> str:
        place = f"{self.span}: " if self.span is not None else ""
        inside = f" (in {self.definition})" if self.definition else ""
        return message_text(f"{place}{self.message}{inside}")


class TypeInferenceError(RelayishError, TypeError):
    """A program, or one call of an operator, is ill-typed, or says too little to tell its types.

    ``diagnostics`` lists everything that was found wrong, in the order it was met.
    """

    def __init__(self, message: str, diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics


class UntypedError(RelayishError, TypeError):
    """The type of an expression is needed, and was not inferred."""


class EvaluationError(RelayishError, RuntimeError):
    """A program, or one operator of it, cannot be evaluated."""


class OutOfBoundsError(EvaluationError, IndexError):
    """An access is outside of a tensor, or of the memory of its buffer."""


class UninitialisedReadError(EvaluationError):
    """Memory, or a variable, is read before anything was stored there."""


class LifetimeError(EvaluationError):
    """Memory is used while it is not allocated, allocated twice, or freed by who must not."""


class TypeConfusionError(EvaluationError, TypeError):
    """A value, array or operand is of another type than the program says, or needs."""


class DivisionByZeroError(EvaluationError, ZeroDivisionError):
    """An integer is divided by zero."""


class InexactError(EvaluationError, ArithmeticError):
    """A value has no image: a quotient with a remainder as a fraction, a float as an integer."""


class UnsupportedError(EvaluationError, NotImplementedError):
    """What a program asks for means nothing where it is run, or nobody said what it means."""


class GradientError(RelayishError, RuntimeError):
    """A program, or a call of an operator, cannot be differentiated."""


class ParseError(RelayishError, SyntaxError):
    """Relay text does not follow the grammar; carries file, line and column, shows the line.

    ``filename``, ``lineno``, ``offset`` (the column, from 1) and ``text`` (the line) are those of
    every ``SyntaxError``; the message says the same for people.
    """

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class BinaryFormatError(RelayishError, ValueError):
    """A file in binary form is damaged or cut short, of a newer version, or is none.

    ``path`` is the file, or ``""``, and ``offset`` the byte at which that was found.
    """

    def __init__(self, message: str, offset: int = 0) -> None:
        super().__init__(message)
        self.offset = offset
        self.path = ""

    def __str__(self) -> str:
        return f"{escape(self.path)}: {self.args[0]}" if self.path else str(self.args[0])


class ModelError(RelayishError, ValueError):
    """A model cannot be read, or written, as what it declares itself to be."""


class AnalysisError(RelayishError, RuntimeError):
    """A data-flow analysis does not end, or cannot be made of the program that it is given."""


class LatticeLawError(RelayishError, AssertionError):
    """What is said to be a lattice is none.

    ``law`` is the law that is broken, ``states`` are those that break it.
    """

    def __init__(self, message: str, law: str = "", states: tuple[Any, ...] = ()) -> None:
        super().__init__(message)
        self.law = law
        self.states = states


class PassError(RelayishError, RuntimeError):
    """A pass broke the contract of passes."""


class UnlowerableError(PassError):
    """Loops cannot express a node of a network."""


class ParallelError(RelayishError, RuntimeError):
    """Work cannot be given to workers, or what came of it cannot be given back."""


class WorkerLostError(ParallelError):
    """A worker ended in the midst of an item, as often as it was tried."""


class PackageError(RelayishError, ImportError):
    """What a package, or a file, adds cannot be loaded; says which one, and why."""


class DrawingError(RelayishError, ValueError):
    """Something cannot be drawn, or not in the form that is asked for."""


class PipelineError(RelayishError, ValueError):
    """A pipeline string, or a pass option in it, cannot be read."""


class OptionError(PipelineError, TypeError):
    """A pass was given options that it does not have, or not those that it needs."""


class IgnoredNameWarning(RelayishWarning):
    """Something names a pass or a target that does not exist, so it has no effect."""


class RuleWarning(RelayishWarning):
    """A rewrite rule wrote what is not defined, so it was not applied."""


class ConfigError(RelayishError, AttributeError):
    """A ``PassContext`` was given an unknown option or one of the wrong type."""


class WellFormedError(RelayishError, ValueError):
    """A program breaks a rule of scoping."""


class VerificationError(WellFormedError):
    """A program of the loop IR breaks rules of it.

    ``violations`` lists everything that was found wrong, in order of the program.
    """

    def __init__(self, message: str, violations: tuple[Any, ...] = ()) -> None:
        super().__init__(message)
        self.violations = violations  # Any: tir.Violation, which stands above this file


class CheckError(RelayishError, ValueError):
    """A program is not as a check, by name, wants it.

    ``check`` is the name, and ``pass_name`` the pass found to be at fault, or ``""``.
    """

    def __init__(self, message: str, check: str = "", pass_name: str = "") -> None:
        super().__init__(message)
        self.check = check
        self.pass_name = pass_name


class OpCheckError(CheckError):
    """What is declared of an operator does not hold.

    ``report`` is what was tried, as :func:`relayish.testing.opcheck` gives it, and ``failures``
    lists every fault.
    """

    def __init__(self, message: str, report: Any = None) -> None:
        super().__init__(message, "opcheck")
        self.report = report  # Any: testing.OpCheckReport, which stands above this file
        self.failures: tuple[Any, ...] = () if report is None else report.failures


def notes_of(error: BaseException) -> Sequence[object]:
    """Return the notes of ``error``."""
    notes: Sequence[object] = vars(error).get("__notes__", ())
    return notes


def add_note(error: BaseException, note: str) -> None:
    """Add a note to an error of anybody's, whose class may not let it be changed.

    Example:
        >>> from dataclasses import dataclass
        >>> @dataclass(frozen=True)
        ... class Frozen(Exception):
        ...     "No attribute can be set, and ``Frozen().add_note`` fails."
        >>> error = Frozen()
        >>> add_note(error, "while visiting %x")
        >>> notes_of(error)
        ['while visiting %x']
    """
    vars(error).setdefault("__notes__", []).append(message_text(note))


_NEAR: Final = 0.6


def suggest(name: object, known: Iterable[str]) -> str:
    """Return ``"; did you mean x?"`` for the known name nearest to ``name``, or ``""``.

    So it is of what is no text, by which a careless caller may ask.
    """
    if not isinstance(name, str):
        return ""
    long = len(name)  # to compare it takes a while, in vain where lengths are far apart
    likely = [each for each in known if 2 * min(long, len(each)) >= _NEAR * (long + len(each))]
    if not likely:
        return ""
    import difflib  # noqa: PLC0415 - loaded where there is an error, not by every command

    nearest = difflib.get_close_matches(name, likely, n=1, cutoff=_NEAR)
    return f"; did you mean {nearest[0]}?" if nearest else ""


def indefinite(cls: type) -> str:
    """Return the name of a class with an article: ``"a Call"``, ``"an If"``."""
    return f"{'an' if cls.__name__[0] in 'AEIOUaeio' else 'a'} {cls.__name__}"


if not TYPE_CHECKING:  # so that they tell of names that are not there

    def __getattr__(name: str) -> object:
        found = find_retired(__name__, name)
        if found is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return found

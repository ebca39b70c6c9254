"""Steps: passes that ran, with the programs before and after each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from relayish.draw.report.sizes import Size, Sizes
from relayish.ir.modules.module import AnyModule
from relayish.text.relay.brief_text import ConstantNames, brief_text


class Outcome(Enum):
    """What became of a program in a step."""

    CHANGED = "changed"
    RETYPED = "retyped"  # another object, whose text is the same but for inferred types
    EQUAL = "equal"  # the very object that went in
    FAILED = "failed"


class CheckOutcome(NamedTuple):
    """A check that ran behind a pass: its name, and what it has to say, ``""`` if all holds."""

    name: str
    said: str = ""

    @property
    def held(self) -> bool:
        """Whether the program passes the check."""
        return not self.said


class LeftOut(NamedTuple):
    """A pass of the pipeline that did not run, and why."""

    name: str
    why: str


class Views:
    """What is shown of the programs of a report: made when it is asked for, once for each.

    Attributes:
        constants: Names of their large constants.
    """

    def __init__(self) -> None:
        self._sizes = Sizes()
        self.constants = ConstantNames()
        self._texts: dict[tuple[AnyModule, bool], str] = {}

    def size(self, mod: AnyModule) -> Size:
        """Return the size of a program."""
        return self._sizes.of(mod)

    def text(self, mod: AnyModule, *, show_types: bool = False) -> str:
        """Return the text of a program as :func:`brief_text` does."""
        found = self._texts.get((mod, show_types))
        if found is None:
            found = brief_text(mod, self.constants, show_types=show_types)
            self._texts[mod, show_types] = found
        return found


@dataclass(slots=True, eq=False)
class Step:
    """One pass that ran.

    Attributes:
        name: Its name.
        opt_level: Its level.
        before: The program that it was given.
        views: What is shown of programs.
        options: Its options with other values than usual, as they are written.
        needed_by: The pass that requires it, and so had it run; ``""`` if it was asked for.
        inside: The passes it ran inside of, outermost first.
        is_group: It is a pipeline, whose passes are steps of their own.
        after: The program that it returned; ``None`` if it raised.
        seconds: How long it took, passes inside included, checks and other instruments not.
        error: What it raised, or which check its result does not pass; ``""`` for nothing.
        checks: Those that ran behind it.
        notes: What it had to say: warnings, and why rules left nodes as they are.
    """

    name: str
    opt_level: int
    before: AnyModule
    views: Views = field(repr=False)
    options: Mapping[str, str] = field(default_factory=dict)
    needed_by: str = ""
    inside: tuple[Step, ...] = field(default=(), repr=False)
    is_group: bool = False
    after: AnyModule | None = None
    seconds: float = 0.0
    error: str = ""
    checks: list[CheckOutcome] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def outcome(self) -> Outcome:
        """What became of the program."""
        if self.error or self.after is None:
            return Outcome.FAILED
        if self.after is self.before:
            return Outcome.EQUAL
        return Outcome.RETYPED if self.text_before == self.text_after else Outcome.CHANGED

    @property
    def changed(self) -> bool:
        """Whether the program is another one behind it, inferred types aside."""
        return self.after is not None and self.text_before != self.text_after

    @property
    def text_before(self) -> str:
        """The text of the program before it, without inferred types."""
        return self.views.text(self.before)

    @property
    def text_after(self) -> str:
        """The same behind it; that before it, if it raised."""
        return self.views.text(self.before if self.after is None else self.after)

    @property
    def size_before(self) -> Size:
        """How large the program was."""
        return self.views.size(self.before)

    @property
    def size_after(self) -> Size:
        """How large it is; as before, if the pass raised."""
        return self.views.size(self.before if self.after is None else self.after)

    def __str__(self) -> str:
        given = ", ".join([f"{name}={value}" for name, value in self.options.items()])
        return f"{self.name}{{{given}}}" if given else self.name


@dataclass(slots=True, eq=False)
class Record:
    """What a pipeline did to a program, pass by pass.

    Attributes:
        title: What it is of.
        source: The program that went in.
        steps: The passes that ran, in the order in which they began.
        left_out: Those of the pipeline that did not run.
        error: What was raised in the end; ``None`` if nothing was.
        output: The program that came out; ``None`` if none did.
        notes: What is to be told of the whole.
    """

    title: str
    source: AnyModule = field(repr=False)
    steps: Sequence[Step] = field(repr=False)
    left_out: Sequence[LeftOut] = ()
    error: Exception | None = None
    output: AnyModule | None = field(default=None, repr=False)
    notes: Sequence[str] = ()

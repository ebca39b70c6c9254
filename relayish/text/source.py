"""Scanner: a text, the position in it, and errors that point into it, for every language.

There is no list of tokens: a reader asks, at its position, for one of a few things, each a
compiled pattern that skips blanks and plain comments by itself. What depends on the state of the
reader (``.0`` after a value is a projection, in a number it is a fraction) is then no question.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Final, NoReturn

from relayish._kernel import loop
from relayish._support.printable import escape, point_at
from relayish.errors import ParseError, suggest
from relayish.ir.nodes.span import Span
from relayish.text.literals import DOTTED, IDENTIFIER, NUMBER, STRING, unquote

BLANK: Final = r"(?:[ \t\r\n\f]++|//[^\n]*+|/\*[^*/]*+\*/)*+"
"""Blanks, line comments, and the block comments that hold no other comment."""
LOCAL: Final = rf"(?:\d++|{IDENTIFIER}(?:(?:\.\d+)*\.{IDENTIFIER}|/[A-Za-z0-9_]+)*|{STRING})"
"""What stands behind the ``%`` of a variable, or of a node that has a line of its own."""

BLANKS: Final = re.compile(BLANK)
OPERAND: Final = re.compile(
    rf"{BLANK}(?:(?P<local>%{LOCAL})|(?P<number>{NUMBER})"
    rf"|(?P<name>{DOTTED}(?:::(?:{DOTTED}|\#{STRING}))?|\#{STRING})"
    rf"|(?P<globalvar>@(?:{DOTTED}|{STRING}))|(?P<string>{STRING})|(?P<mark>[-({{]))"
)
"""What an operand of an expression, or the value of an attribute, starts with."""
BINDER: Final = re.compile(
    rf"{BLANK}%((?!\d){LOCAL})(?P<malformed>-malformed-ir)?"
    rf"(?P<share>{BLANK}\({BLANK}share{BLANK}:{BLANK})?"
)
"""A variable where it is bound."""
ATTRIBUTE: Final = re.compile(rf"{BLANK}({DOTTED}|\#{STRING}){BLANK}=(?!=)")
NAME: Final = re.compile(rf"{BLANK}({DOTTED}|\#{STRING})")
META: Final = re.compile(rf"{BLANK}\[{BLANK}([\w.]+){BLANK}\]{BLANK}\[{BLANK}(\d++){BLANK}\]")
_ODD_COMMENT: Final = re.compile(r"/\*[^*/]*+(?!\*/)")
_COMMENT_MARK: Final = re.compile(r"/\*|\*/")
_BEFORE_MARKS: Final = frozenset(["", " ", "\t", "\r", "\n", "\f", "/"])
_SEVERAL: Final = re.compile(r"\S{1,24}")
_NEW: Final = tuple.__new__


class Source:
    """A text, the position of the reader in it, and how to speak about places in it.

    Args:
        text: The text.
        name: What errors call it.
        row: How many lines stand before it, where it is a part of another one.
    """

    def __init__(self, text: str, name: str, row: int = 0) -> None:
        self.text = text
        self.row = row
        self.name = name
        self.pos = 0
        self.has_comma = False
        self._starts = [0, *[found.end() for found in re.finditer("\n", text)], len(text) + 1]
        self._has_odd_comments = _ODD_COMMENT.search(text) is not None
        self._index = 0  # of the line that was spoken of last

    @loop("span", Span)
    def span(self, start: int, end: int) -> Span:
        """Return the span of the text from ``start`` up to ``end``."""
        starts, index = self._starts, self._index
        if not starts[index] <= start < starts[index + 1]:
            index += 1  # mostly it is the next line
            if not (index + 1 < len(starts) and starts[index] <= start < starts[index + 1]):
                index = min(bisect_right(starts, start), len(starts) - 1) - 1
            self._index = index
        line, before = index + 1 + self.row, starts[index] - 1
        if end <= starts[index + 1]:
            return _NEW(Span, (self.name, line, line, start - before, end - before))
        end_line, end_column = self.locate(end)
        return Span(self.name, line, end_line + self.row, start - before, end_column)

    def locate(self, at: int) -> tuple[int, int]:
        """Return line and column of an offset, both from 1, ``row`` left out."""
        line = bisect_right(self._starts, at)
        return line, at - self._starts[line - 1] + 1

    def fail(self, message: str, at: int | None = None) -> NoReturn:
        """Raise the :class:`ParseError` that shows the line of offset ``at`` and points into it."""
        raise self.error(message, at)

    def error(self, message: str, at: int | None = None) -> ParseError:
        at = min(self.pos if at is None else at, len(self.text))
        line, column = self.locate(at)
        start = self._starts[line - 1]
        end = self.text.find("\n", start)
        shown, caret = point_at(self.text[start : end if end >= 0 else None], column - 1)
        line += self.row
        name = escape(self.name)
        error = ParseError(f"{name}:{line}:{column}: {message}\n  {shown}\n  {caret}")
        error.filename, error.lineno, error.offset, error.text = name, line, column, shown
        return error

    def skip(self) -> int:
        """Go past blanks and comments, nested ones too, and return the new position."""
        text = self.text
        while True:
            found = BLANKS.match(text, self.pos)
            assert found is not None
            self.pos = found.end()
            if not text.startswith("/*", self.pos):
                return self.pos
            self._skip_comment()

    def _skip_comment(self) -> None:
        depth, start = 0, self.pos
        for found in _COMMENT_MARK.finditer(self.text, start):
            depth += 1 if found[0] == "/*" else -1
            if depth == 0:
                self.pos = found.end()
                return
        self.fail("this comment is not closed; end it with */", start)

    def found(self) -> str:
        """Describe what stands at the position."""
        self.skip()
        several = _SEVERAL.match(self.text, self.pos)
        return f"found {several[0]!r}" if several else "found the end of the text"

    def take(self, mark: str) -> bool:
        """Go past ``mark`` if it is what comes next."""
        text, pos = self.text, self.pos
        if text.startswith(mark, pos):
            self.pos = pos + len(mark)
            return True
        if text[pos : pos + 1] not in _BEFORE_MARKS or not text.startswith(mark, self.skip()):
            return False
        self.pos += len(mark)
        return True

    def expect(self, mark: str, where: str) -> None:
        """Go past ``mark``, which must come next."""
        if not self.take(mark):
            self.fail(f"expected {mark!r} {where}; {self.found()}")

    def until(self, close: str, where: str) -> Iterator[None]:
        """Yield before each item of a list; go past the commas between them and past ``close``.

        ``has_comma`` says then whether a comma stands behind the last item.
        """
        self.has_comma = False
        while not self.take(close):
            yield
            self.has_comma = has_comma = self.take(",")
            if not has_comma:
                self.expect(close, where)
                return

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Match at the position, behind blanks and comments; the position stays."""
        found = pattern.match(self.text, self.pos)
        if found is None and self._has_odd_comments:
            found = pattern.match(self.text, self.skip())
        return found

    def unknown(self, what: str, name: str, known: Iterable[str], at: int) -> NoReturn:
        """Raise the error about a name that means nothing here."""
        self.fail(f"unknown {what} {name}{suggest(name, known)}", at)

    def name_here(self, what: str) -> tuple[str, int]:
        """Read an identifier (or ``#"odd name"``); return it and where it stands."""
        found = self.match(NAME)
        if found is None:
            self.fail(f"expected {what}; {self.found()}")
        self.pos = found.end()
        return unquote_name(found[1]), found.start(1)

    def word(self, word: str) -> bool:
        """Go past ``word`` if it comes next, and no longer word that begins with it."""
        start = self.skip()
        end = start + len(word)
        following = self.text[end : end + 1]
        longer = following.isalnum() or following in ("_", ".")
        if not self.text.startswith(word, start) or (following and longer):
            return False
        self.pos = end
        return True


def unquote_name(word: str) -> str:
    """Return the name that an identifier, or a quoted one behind its sigil, spells."""
    if word.startswith(('#"', '@"')):
        return unquote(word[1:])
    return word.removeprefix("@")

"""Text for people: without control characters, and of a length that can be read.

Names, constants and lines of a program come from whoever wrote it. Shown as they are, a control
character would speak to the terminal, one for writing direction would hide what stands there, and
no XML may hold a lone surrogate; a name of megabytes would make a message of megabytes.
"""

from __future__ import annotations

import re
from typing import Final

UNPRINTABLE: Final = (
    r"\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    r"\ufeff\ufff9-\ufffb\ufffe\uffff\ud800-\udfff\U000e0000-\U000e007f"
)
"""Between the brackets of a pattern: controls, marks that are not seen, halves of characters."""

LONGEST_WORD: Final = 300
"""How many characters a word of a message, as a name or a number is, has at most."""
LONGEST_LINE: Final = 1000
"""How many characters a line of a message has at most."""
LONGEST: Final = 20_000
"""How many characters a message has at most."""
_EXCERPT: Final = 160

_ONE_LINE: Final = re.compile(f"[{UNPRINTABLE}]")
_LONG_WORD: Final = re.compile(rf"\S{{{LONGEST_WORD + 1},}}")
_LINES: Final = re.compile(rf"(?![\n\t])[{UNPRINTABLE}]")


def escape(text: str) -> str:
    r"""Return ``text`` on one line, with escapes for what cannot be seen in it.

    Example:
        >>> print(escape("a\x1b[31m\nb"))
        a\x1b[31m\nb
    """
    return text if text.isprintable() else _ONE_LINE.sub(_spell, text)


def escape_lines(text: str) -> str:
    """Return ``text`` as :func:`escape` does, with the ends of its lines, and tabs, as they are."""
    return text if text.isprintable() else _LINES.sub(_spell, text)


def _spell(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()


def message_text(text: str) -> str:
    """Return what a message shows of ``text``: escaped, and cut in the middle where it is long.

    Of what this returns it returns the same.
    """
    return _bound(escape_lines(_bound(text)))  # before as well, for escapes are long


def _bound(text: str) -> str:
    if len(text) <= LONGEST_WORD:
        return text
    text = _LONG_WORD.sub(lambda found: _cut(found[0], LONGEST_WORD), text)
    if len(text) <= LONGEST_LINE:
        return text
    return _cut("\n".join([_cut(line, LONGEST_LINE) for line in text.split("\n")]), LONGEST)


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    head, tail = most // 2, most // 4
    return f"{text[:head]} ... ({len(text) - head - tail:,} more) ... {text[-tail:]}"


def point_at(line: str, start: int, width: int = 1) -> tuple[str, str]:
    """Return what a message shows of a line, and carets that point at a part of it.

    Args:
        line: A line of a program, without its end.
        start: The column at which the part begins, from 0.
        width: How long it is, at least.

    Example:
        >>> print("{}|{}|".format(*point_at("let x = 1", 4)))
        let x = 1|    ^|
    """
    cut = max(0, start - _EXCERPT // 2) if len(line) > _EXCERPT else 0
    before = escape(line[cut:start].replace("\t", " "))
    rest = line[start : cut + _EXCERPT].replace("\t", " ")
    marks = "^" * max(len(escape(rest[:width])), 1)
    return before + escape(rest), " " * len(before) + marks

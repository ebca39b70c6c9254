"""What TVM 0.17 takes a text apart into, and pieces of it that TVM would take for something else.

A slash is a letter of TVM's names, a comment in a comment is part of it, strings end at the next
quote, and ``#`` begins nothing but the version and the metadata.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_TOKEN = re.compile(
    r"""(?P<blank>[ \t\n]+ | //[^\n]*)
    | (?P<comment>/\*)
    | (?P<string>"[^"]*")
    | (?P<meta>meta\[[^\]]*\]\[\d+\])
    | (?P<number>-*(?:\d[0-9.eE+-]*(?:[fi][0-9.eE+-]*)?|inff))
    | (?P<version>\#\[version\ =\ "0\.0\.5"\])
    | (?P<name>[A-Za-z_/][A-Za-z0-9_/]*)
    | (?P<mark>%\d+ | [-.,=;:()+*<>{}\[\]!@?%])""",
    re.VERBOSE,
)
_COMMENT_MARK = re.compile(r"/\*|\*/")


def misread(text: str) -> list[str]:
    """Return the pieces of a text that TVM reads as something else, or not at all."""
    found, before = [], ""
    for kind, piece in _tokens(text.partition("\n#[metadata]")[0]):
        is_quoted = kind == "string" and ("\\" in piece or before in ("%", "@"))
        is_joined = kind == "name" and "/" in piece and before != "%"
        if not kind or is_quoted or is_joined:
            found.append(before + piece)
        before = piece
    return found


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            yield "", text[at : at + 20]
            return
        at = token.end()
        if token.lastgroup == "comment":
            at = _end_of_comment(text, at)
        elif token.lastgroup != "blank":
            yield str(token.lastgroup), token[0]


def _end_of_comment(text: str, at: int) -> int:
    depth = 1
    while depth:
        mark = _COMMENT_MARK.search(text, at)
        assert mark is not None, "a comment is not closed"
        depth += 1 if mark[0] == "/*" else -1
        at = mark.end()
    return at

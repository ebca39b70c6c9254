"""Highlighting: the words of a line of a program, each with what it is."""

from __future__ import annotations

import re
from html import escape
from typing import Final

from relayish.text.literals import DOTTED, NUMBER, STRING
from relayish.text.source import LOCAL

_WORD: Final = re.compile(
    rf"(?P<c>//.*|/\*.*?(?:\*/|$))|(?P<s>{STRING})|(?P<g>@(?:{DOTTED}|{STRING}))|(?P<v>%{LOCAL})"
    rf"|(?P<w>{DOTTED}(?:::{DOTTED})?(?P<after>\(|=(?!=))?)|(?P<n>{NUMBER})|(?P<h>\#[0-9a-f]{{6}}\b)"
)
_KEYWORDS: Final = (
    {"attrs", "axis", "bind", "block", "def", "do_loop", "else", "extern", "fn", "for"}
    | {"free_type", "free_var", "function", "global", "if", "in", "let", "match", "meta", "node"}
    | {"parallel", "reg", "retv", "return", "serial", "share", "tensor", "tir", "type", "unroll"}
    | {"var", "vectorize", "while", "with"}
)
_TYPE: Final = re.compile(r"(?:Tensor|String|bool|(?:u?int|b?float)\d+\w*|void)$")
KINDS: Final = {
    "k": "keyword",
    "v": "variable",
    "g": "global name",
    "o": "what is called",
    "a": "name of an attribute",
    "t": "type",
    "n": "number",
    "s": "string",
    "c": "comment",
    "h": "digest of a constant",
    "x": "anything else",
}
"""What words are, by the letter that stands for it."""
LONGEST: Final = 4_000
"""So many characters of a line are told apart; the rest is shown as one word."""


def split_words(line: str) -> list[tuple[str, str]]:
    """Return the words of a line, each behind the letter of its kind; together they are the line.

    Complexity:
        Linear in the line.

    Example:
        >>> split_words("let %y = nn.relu(%0);")
        [('k', 'let'), ('x', ' '), ('v', '%y'), ('x', ' = '), ('o', 'nn.relu'), ('x', '('), \
('v', '%0'), ('x', ');')]
    """
    found: list[tuple[str, str]] = []
    end = 0
    rest = "" if len(line) <= LONGEST else line[LONGEST:]
    line = line[:LONGEST]
    for each in _WORD.finditer(line):
        kind, text, stop = each.lastgroup or "x", each[0], each.end()
        if each["w"] is not None:
            text = text[: -len(each["after"])] if each["after"] else text
            stop = each.start() + len(text)
            kind = _kind_of(text, each["after"])
        if kind == "x":
            continue
        if each.start() > end:
            found.append(("x", line[end : each.start()]))
        found.append((kind, text))
        end = stop
    if end < len(line) or rest:
        found.append(("x", line[end:] + rest))
    return found


def _kind_of(word: str, after: str | None) -> str:
    if after == "(":
        return "k" if word in _KEYWORDS else "o"
    if after == "=":
        return "a"
    if word in _KEYWORDS:
        return "k"
    if word in ("True", "False", "None"):
        return "n"
    return "t" if _TYPE.match(word) else "x"


def highlight(text: str) -> str:
    """Return the HTML of some lines of a program: words in spans, ``<span class="r-k">``.

    Example:
        >>> highlight("%0 < %1")
        '<span class="r-v">%0</span> &lt; <span class="r-v">%1</span>'
    """
    return "\n".join([_highlight_line(line) for line in text.split("\n")])


def _highlight_line(line: str) -> str:
    return "".join(
        [
            escape(word, quote=False)
            if kind == "x"
            else f'<span class="r-{kind}">{escape(word, quote=False)}</span>'
            for kind, word in split_words(line)
        ]
    )


COLOURS: Final = {
    "k": ("#8839a8", "#c792ea"),
    "v": ("#1f4e8c", "#9cc4f5"),
    "g": ("#0a6a5c", "#7fd6c4"),
    "o": ("#9a4a00", "#f0b57a"),
    "a": ("#5f6b76", "#9aa7b4"),
    "t": ("#3f6d1e", "#a9d38a"),
    "n": ("#a3263f", "#f29aa8"),
    "s": ("#4d6b12", "#c3d98a"),
    "c": ("#7a828a", "#828d99"),
    "h": ("#8a6d3b", "#cdb48a"),
}
"""By kind of word, its colour on white and on black."""


def style_of_words() -> str:
    """Return the CSS of the words that :func:`highlight` tells apart, by variables."""
    return "".join([f".r-{kind} {{ color: var(--r-{kind}) }}\n" for kind in COLOURS])


def colours_of_words(*, is_dark: bool) -> str:
    """Return the variables that give words their colours, as declarations of CSS."""
    return " ".join([f"--r-{kind}: {pair[is_dark]};" for kind, pair in COLOURS.items()])

"""The frame around what a notebook shows: its style, and the few elements it is made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from typing import Final

from relayish._support import printable
from relayish.draw.highlight import colours_of_words, highlight, style_of_words

LINES: Final = 60
"""So many lines of a text are shown at once."""
FOLDED: Final = 600
"""So many more are shown when they are unfolded."""
LONGEST: Final = 600
"""So many characters of a line are shown."""
ROWS: Final = 200
"""So many rows of a table are shown."""

_LIGHT: Final = (
    "--page: #ffffff; --text: #1d2329; --quiet: #69747f; --line: #dde1e6; --bar: #9db7d6;"
    " --gone: #fbe9e7; --new: #e6f4e8; color-scheme: light;"
)
_DARK: Final = (
    "--page: #16191d; --text: #dde3e9; --quiet: #8f9ba7; --line: #333a42; --bar: #4a6a8f;"
    " --gone: #3a1e1c; --new: #17301f; color-scheme: dark;"
)
_THEMES: Final = {
    "light": 'body[data-jp-theme-light="true"] {}, body.vscode-light {}, '
    '[data-md-color-scheme="default"] {}',
    "dark": 'body[data-jp-theme-light="false"] {}, body.vscode-dark {}, '
    '[data-md-color-scheme="slate"] {}',
}
"""How notebooks and pages say that they are light or dark, whatever the system is."""


def frame(html: str) -> str:
    """Return elements in a frame that gives them their style, in light and in dark."""
    return f'<div class="relayish-cell"><style>\n{_STYLE}</style>\n{html}\n</div>'


def _make_style() -> str:
    light = f"{_LIGHT} {colours_of_words(is_dark=False)}"
    dark = f"{_DARK} {colours_of_words(is_dark=True)}"
    themes = {name: where.replace("{}", ".relayish-cell") for name, where in _THEMES.items()}
    rules = files(__package__).joinpath("notebook.css").read_text(encoding="utf-8")
    words = "".join([f".relayish-cell {rule}\n" for rule in style_of_words().splitlines()])
    return (
        f".relayish-cell {{ {light} }}\n"
        f"@media (prefers-color-scheme: dark) {{ .relayish-cell {{ {dark} }} }}\n"
        f"{themes['light']} {{ {light} }}\n{themes['dark']} {{ {dark} }}\n{rules}{words}"
    )


_STYLE: Final = _make_style()


def safe(text: str) -> str:
    """Return text as HTML, with escapes for what cannot be seen in it."""
    return escape(printable.escape_lines(text))


def note(text: str) -> str:
    """Return a quiet sentence."""
    return f'<p class="quiet">{safe(text)}</p>'


def code(text: str, rest: str = "print it to see all") -> str:
    """Return the lines of a program, coloured; those behind the first ones folded away.

    Args:
        text: The lines.
        rest: What to do to see those that are not even there when all is unfolded.
    """
    lines = [_cut(line) for line in printable.escape_lines(text).split("\n")]
    first, more = lines[:LINES], lines[LINES : LINES + FOLDED]
    html = f"<pre>{highlight(chr(10).join(first))}</pre>"
    if more:
        what = f"{len(lines) - LINES:,} more line{'' if len(lines) == LINES + 1 else 's'}"
        folded = highlight("\n".join(more))
        html += f"<details><summary>{what}</summary><pre>{folded}</pre>"
        if len(lines) > LINES + FOLDED:
            html += note(f"{len(lines) - LINES - FOLDED:,} more lines; {rest}")
        html += "</details>"
    return html


def plain(text: str, rest: str = "print it to see all") -> str:
    """Return the first lines of a text, and how many more there are."""
    lines = text.split("\n")
    if len(lines) <= LINES:
        return text
    return "\n".join([*lines[:LINES], f"... {len(lines) - LINES:,} more lines; {rest}"])


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[int] = ()) -> str:
    """Return a table.

    Args:
        heads: What stands above the columns.
        rows: Cells, as HTML.
        right: Columns of numbers.
    """
    given = list(rows)
    sides = [' class="right"' if column in right else "" for column in range(len(heads))]
    head = "".join([f"<th{at}>{safe(text)}</th>" for text, at in zip(heads, sides, strict=True)])
    body = "\n".join([_row(row, sides) for row in given[:ROWS]])
    more = note(f"{len(given) - ROWS:,} more rows") if len(given) > ROWS else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table>{more}"


def _row(cells: Sequence[str], sides: Sequence[str]) -> str:
    shown = [f"<td{at}>{cell}</td>" for cell, at in zip(cells, sides, strict=True)]
    return f"<tr>{''.join(shown)}</tr>"


def bar(share: float) -> str:
    """Return a bar, as long as a share of the whole is great."""
    return f'<span class="bar" style="width: {max(0.0, min(1.0, share)) * 8:.2f}em"></span>'


def fold(summary: str, html: str) -> str:
    """Return elements that are folded away behind a line."""
    return f"<details><summary>{safe(summary)}</summary>{html}</details>"


def _cut(line: str) -> str:
    more = len(line) - LONGEST
    return line if more <= 0 else f"{line[:LONGEST]} ... ({more:,} more characters)"

"""Docstrings of Google's style as Markdown, in which names of public things are links."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

Link: TypeAlias = Callable[[str], str | None]
"""Where a name, as docstrings write it, leads; ``None`` if to nothing."""

_SECTION: Final = re.compile(r"^([A-Z]\w*(?: \w+)?):[ ]*$", re.MULTILINE)
_ITEM: Final = re.compile(r"^(\*{0,2}\w[\w.]*(?:, \*{0,2}\w[\w.]*)*):\s+(?=\S)")
_CODE_OR_ROLE: Final = re.compile(
    r"(?P<double>``(?P<quoted>.+?)``)"
    r"|:(?P<role>\w+):`(?P<short>~?)(?P<target>[^`]+)`"
    r"|`(?P<single>[^`]+)`",
    re.DOTALL,
)
_PLAIN_HEADINGS: Final = frozenset(("Example", "Examples"))


def docstring_markdown(text: str, link: Link) -> str:
    r"""Return a docstring, already dedented, as Markdown.

    Args:
        text: Prose, then sections: ``Args:``, ``Returns:``, ``Example:`` and others of any title.
        link: Asked for every name in code, and for the target of every role.

    Example:
        >>> text = "Do it; see ``it``.\n\nArgs:\n    a: What."
        >>> print(docstring_markdown(text, {"it": "#it"}.get))
        Do it; see [`it`](#it).
        <BLANKLINE>
        **Args**
        <BLANKLINE>
        * `a`: What.
    """
    parts = _SECTION.split(text)
    shown = [_prose(parts[0], link)]
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        lines = body.strip("\n").splitlines()
        inside = _dedented(line for line in lines if not line or line[0] == " ")
        after = "\n".join(line for line in lines if line and line[0] != " ")
        shown += [f"**{title}**", _section(inside, link, title), _prose(after, link)]
    return "\n\n".join(part for part in shown if part)


def summary(text: str, link: Link) -> str:
    """Return the first sentence of a docstring, in one line that may stand in a table."""
    first = " ".join(text.strip().partition("\n\n")[0].split())
    sentence = re.split(r"(?<=[.!?:])\s+(?=[A-Z`])", first)[0].rstrip(":")
    return inline(sentence, link).replace("|", "\\|")


def inline(text: str, link: Link) -> str:
    """Return prose in which code is code of Markdown, and what it names is linked."""
    parts: list[str] = []
    last = 0
    for found in _CODE_OR_ROLE.finditer(text):
        parts += [_escaped(text[last : found.start()]), _code(found, link)]
        last = found.end()
    return "".join((*parts, _escaped(text[last:])))


def _code(found: re.Match[str], link: Link) -> str:
    name = found["target"] or found["quoted"] or found["single"]
    plain = " ".join(name.split())
    target = link(plain.lstrip("~."))
    if found["role"]:
        plain = plain.lstrip(".").rpartition(".")[2] if found["short"] or "." in plain else plain
    ticks = "``" if "`" in plain else "`"
    code = f"{ticks}{plain}{ticks}"
    return code if target is None else f"[{code}]({target})"


def _escaped(text: str) -> str:
    return text.replace("<", "&lt;").replace("[", "\\[").replace("*", "\\*")


def _prose(text: str, link: Link) -> str:
    """Return paragraphs: examples and blocks behind ``::`` as code, lists as lists."""
    shown: list[str] = []
    literal = False
    for paragraph in re.split(r"\n[ ]*\n", text.strip("\n")):
        if not paragraph.strip():
            continue
        lines = paragraph.splitlines()
        if lines[0].lstrip().startswith(">>>"):
            shown.append(f"```pycon\n{_dedented(lines)}\n```")
        elif literal and paragraph[0] == " ":
            shown.append(f"```text\n{_dedented(lines)}\n```")
        else:
            literal = paragraph.endswith("::")
            shown.append(_paragraph(paragraph.replace("::", ":") if literal else paragraph, link))
    return "\n\n".join(shown)


def _paragraph(text: str, link: Link) -> str:
    """Return a paragraph, with a blank line before a list that it leads to."""
    prose, _, example = text.partition("\n>>>")
    parted = re.split(r"\n(?=[*-] )", prose)
    shown = [
        inline(parted[0], link) if parted[0][:2] not in ("* ", "- ") else _item(parted[0], link)
    ]
    shown += [
        ("\n" if number == 0 else "") + _item(part, link) for number, part in enumerate(parted[1:])
    ]
    told = "\n".join(shown)
    return f"{told}\n\n```pycon\n>>>{example}\n```" if example else told


def _item(text: str, link: Link) -> str:
    return f"* {inline(' '.join(text[2:].split()), link)}"


def _section(text: str, link: Link, title: str) -> str:
    """Return what stands in a section: a list where each entry has a name, or else prose."""
    entries = re.split(r"\n(?=\S)", text)
    if title in _PLAIN_HEADINGS or not all(_ITEM.match(entry) for entry in entries):
        return _prose(text, link)
    return "\n".join(_named(entry, link) for entry in entries)


def _named(entry: str, link: Link) -> str:
    found = _ITEM.match(entry)
    assert found is not None
    told = inline(" ".join(entry[found.end() :].split()), link)
    names = ", ".join(_name(name, link) for name in found[1].split(", "))
    return f"* {names}: {told}"


def _name(name: str, link: Link) -> str:
    """Return the name of an entry: an error is public, a parameter is not."""
    target = link(name) if name[:1].isupper() else None
    return f"`{name}`" if target is None else f"[`{name}`]({target})"


def _dedented(lines: Iterator[str] | list[str]) -> str:
    kept = list(lines)
    margin = min((len(line) - len(line.lstrip()) for line in kept if line.strip()), default=0)
    return "\n".join(line[margin:] for line in kept)

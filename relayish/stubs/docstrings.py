"""Docstrings as they stand in stubs, where editors look for what to show."""

from __future__ import annotations

import inspect


def docstring(documented: object, margin: str) -> str:
    """Return the docstring of an object as lines of source at a margin; empty if there is none."""
    text = inspect.getdoc(documented)
    return "" if text is None else literal(text, margin)


def literal(text: str, margin: str) -> str:
    r"""Return a text as a docstring, its lines at a margin.

    Example:
        >>> literal("Sum.\n\nOf \\all.", "  ")
        '  r"\""Sum.\n\n  Of \\all."\""\n'
    """
    text = text.strip()
    prefix = "r" if "\\" in text and not text.endswith("\\") else ""
    if not prefix:
        text = text.replace("\\", "\\\\")
    text = text.replace('"""', "'''")
    if text.endswith('"'):
        text += " "
    lines = f'{prefix}"""{text}"""'.splitlines()
    if len(lines) > 1 and not text.endswith(" "):
        lines = [*lines[:-1], lines[-1].removesuffix('"""'), '"""']
    return "".join(f"{margin}{line}".rstrip() + "\n" for line in lines)

"""Docstrings as they stand in stubs, where editors look for what to show."""

from __future__ import annotations

import inspect
from typing import Final

INDENT: Final = "    "


def docstring(documented: object, margin: str) -> str:
    """Return the own docstring of an object as lines of source at a margin; empty without one."""
    text = inspect.getdoc(documented) if documented.__doc__ else None
    return literal(text, margin) if text else ""


def literal(text: str, margin: str) -> str:
    """Return a text as a docstring, its lines at a margin.

    Example:
        >>> print(literal("Sum of all.", "  ").replace('"', "'"), end="")
          '''Sum of all.'''
    """
    text = text.strip()
    is_raw = "\\" in text and "\n" in text and '"""' not in text
    if not is_raw:
        text = text.replace("\\", "\\\\").replace('"""', r"\"\"\"")
    if "\n" in text:
        text += "\n"
    elif text.endswith('"'):
        text = rf"{text[:-1]}\""
    lines = f'{"r" * is_raw}"""{text}"""'.split("\n")
    return "".join(f"{margin}{line}".rstrip() + "\n" for line in lines)


def function(head: str, documented: object, margin: str) -> str:
    """Return a function of a stub, with the docstring of what it stands for, if that has one.

    Args:
        head: From ``def`` on, without the colon.
        documented: The function, or what else is called.
        margin: What each line begins with.
    """
    text = docstring(documented, margin + INDENT)
    return f"{margin}{head}:\n{text}" if text else f"{margin}{head}: ...\n"

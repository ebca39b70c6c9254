"""Texts that differ: of thousands of recorded programs, those that have something no other has."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Final

from tests.support.seeds import SOAK

_TOKEN: Final = re.compile(r'%[\w.]+|@[\w.]+|"(?:[^"\\]|\\.)*"|[A-Za-z_][\w.]*|-?\d[\w.+-]*|\S')
_DIGITS: Final = re.compile(r"[\d.e+-]")


def varied(texts: Iterable[str]) -> list[str]:
    """Return the shortest texts in which every two tokens stand side by side that do in any.

    Names, numbers and strings are alike, and the metadata is left out. The soak takes every text.
    """
    distinct = sorted(set(texts), key=lambda text: (len(text), text))
    if SOAK:
        return distinct
    seen: set[tuple[str, str]] = set()
    found = []
    for text in distinct:
        new = set(_neighbours(text.partition("#[metadata]")[0])) - seen
        if new:
            found.append(text)
            seen |= new
    return found


def _neighbours(program: str) -> Iterable[tuple[str, str]]:
    return pairwise(map(_kind, _TOKEN.findall(program)))


def _kind(token: str) -> str:
    """Return a token without what tells it from others like it."""
    if token[0] in '%@"':
        return token[0]
    is_number = token[0].isdigit() or (token[0] == "-" and len(token) > 1)
    return "0" + _DIGITS.sub("", token) if is_number else token

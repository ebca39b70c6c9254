"""Attributes of schedule blocks as CINN prints them: ``attrs(key:value, key:value)``."""

from __future__ import annotations

import re
from typing import Final

from relayish.ir.attributes.dictionary import DictAttrs
from relayish.text.literals import quote
from relayish.tir.text.spelling import spell_name
from relayish.tir.text.values import spell_value

WORDS: Final = r"[A-Za-z_][\w.]*+(?:,[A-Za-z_][\w.]*+)*+"
"""A string that stands without quotes: names, with commas between them."""
_PLAIN: Final = re.compile(WORDS)
_INT: Final = re.compile(r"-?\d+")


def spell_attrs(attrs: DictAttrs) -> str:
    """Return the attributes in order of their keys."""
    return ", ".join([f"{spell_name(key)}:{_spell(attrs[key])}" for key in sorted(attrs.keys())])


def _spell(value: object) -> str:
    match value:
        case bool():
            return "1" if value else "0"
        case int():
            return str(value)
        case float():
            return f"{value:g}"
        case str():
            is_plain = _PLAIN.fullmatch(value) and value not in ("inf", "nan")
            return value if is_plain else quote(value)
    return quote(spell_value(value, exact=False))


def is_shown_exactly(attrs: DictAttrs) -> bool:
    """Return whether the text of attributes, read back, gives the same."""
    return bool(len(attrs)) and all(_is_exact(value) for _, value in attrs.items())


def _is_exact(value: object) -> bool:
    if type(value) is float:
        shown = f"{value:g}"
        plain = _INT.fullmatch(shown) is not None or not shown[-1].isdigit()
        return not plain and float(shown) == value
    return type(value) is int or type(value) is str

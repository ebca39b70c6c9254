"""Functional update: generates ``with_fields`` of a node class, which first finds what changes."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from operator import is_
from typing import Any, NoReturn

from relayish._kernel import loop
from relayish.errors import FieldError, suggest
from relayish.ir.fields.field import Field, Shape
from relayish.ir.fields.generate import compile_function


class _Given(Enum):
    NOT = "not given"


def generate_update(kind: type[Any], documented: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``with_fields`` of the node class ``kind``, as ``documented`` says what it does.

    Fields are keywords of their own, so no dictionary is made of those given; until one is found
    that changes, nothing is read but the fields given.
    """
    fields: tuple[Field, ...] = kind.fields_
    scope: dict[str, object] = {
        "_kind": kind,
        "_refuse": _refuse,
        "_has_same_items": _has_same_items,
        "_type": type,
        "_tuple": tuple,
        "_NOT": _Given.NOT,
        **{f"_default{index}": f.default for index, f in enumerate(fields)},
    }
    parameters = "".join(f"{f.name}=_NOT, " for f in fields)
    lines = ["if _others: _refuse(_kind, _others)", "_changed = False"]
    for declared in fields:
        lines += _compare(declared)
    lines.append("if not _changed: return _self")
    kept = [f"_default{i}" if f.inferred else f"_self.{f.name}" for i, f in enumerate(fields)]
    values = [f"{k} if {f.name} is _NOT else {f.name}" for k, f in zip(kept, fields, strict=True)]
    lines.append(f"return _kind({', '.join(values)})")
    keywords = f"*, {parameters}" if fields else ""
    made: Callable[..., Any] = compile_function(
        f"with_fields(_self, /, {keywords}**_others)", lines, scope
    )
    made.__doc__ = documented.__doc__
    made.__module__, made.__qualname__ = kind.__module__, f"{kind.__qualname__}.with_fields"
    return loop("with_fields")(made)


def _compare(declared: Field) -> list[str]:
    """Return the lines that find out whether a field was given another value than it has."""
    name = declared.name
    if declared.shape in (Shape.ONE, Shape.OPTIONAL):
        return [f"if {name} is not _NOT and {name} is not _self.{name}: _changed = True"]
    return [
        f"if {name} is not _NOT:",
        f"    _old = _self.{name}",
        f"    if {name} is not _old:",
        f"        if _type(_old) is _tuple and _has_same_items(_old, {name}): {name} = _old",
        "        else: _changed = True",
    ]


def _has_same_items(old: tuple[object, ...], new: object) -> bool:
    if not isinstance(new, (tuple, list)) or len(old) != len(new):
        return False
    return all(map(is_, old, new))


def _refuse(kind: type[Any], others: dict[str, object]) -> NoReturn:
    """Raise for values that were given for what is no field of ``kind``."""
    name = next(iter(others))
    raise FieldError(f"{kind.__name__} has no field {name!r}{suggest(name, kind.__match_args__)}")

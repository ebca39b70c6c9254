"""The operators in the stub of the public face, from their declarations."""

from __future__ import annotations

import inspect
import keyword
import re
from collections.abc import Collection, Iterable, Iterator

from relayish.op import builder
from relayish.op.builders.builder import Namespace, Parameters, list_builders, op
from relayish.op.declaration.properties import arguments, dynamic_form, static_form
from relayish.op.declaration.registry import get_op, list_aliases
from relayish.op.declaration.signature import ARRAY
from relayish.op.random.operators import threefry_key
from relayish.stubs.docstrings import INDENT, function
from relayish.stubs.hints import default

MARK = "# operators: generated from their declarations\n"
DOMAINS = ("annotation", "dyn", "image", "memory", "nn", "qnn", "random", "vision", "vm")

HEAD = """\
# fmt: off
# ruff: noqa: N801, N802, N803 - the names are Relay's
from collections.abc import Sequence as _Sequence
from typing import Any as _Any
from typing import TypeAlias as _TypeAlias

import numpy as _numpy

_Arg: _TypeAlias = Expr | _Sequence[Expr]
_Size: _TypeAlias = int | PrimExpr
_Ints: _TypeAlias = int | _Sequence[int]
_Sizes: _TypeAlias = _Size | _Sequence[_Size]
_Float: _TypeAlias = float | _numpy.floating[_Any]
_Floats: _TypeAlias = _Float | _Sequence[_Float]

"""

_STARS: dict[object, str] = {
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.VAR_KEYWORD: "**",
}
_HINTS = {
    "int": "int",
    "float": "_Float",
    "bool": "bool",
    "Integer": "int",
    "String": "str",
    "Bool": "bool",
    "str": "str",
    "DType": "str",
    "OptionalDType": "str | None",
    "Dimension": "_Size",
    "tuple[int, ...]": "_Ints",
    "tuple[Dimension, ...]": "_Sizes",
    "tuple[float, ...]": "_Floats",
    "int | tuple[int, ...]": "_Ints",
    "tuple[tuple[int, ...], ...]": "_Sequence[_Sequence[int]]",
    "tuple[tuple[Dimension, ...], ...]": "_Sequence[_Sequence[_Size]]",
}
"""How the annotations of attributes are written as those of parameters."""

_IN_BUILDERS = {"Sequence": "_Sequence", "Dimension": "_Size", "DeviceLike": "object"}
"""How names in the annotations of builders written by hand are written here."""

_MADE_BESIDE = {"random": {threefry_key: "def threefry_key(seed: int) -> Constant"}}
"""What modules of operators define themselves."""


def operator_stubs(face: Collection[str], prefixes: Iterable[str] = DOMAINS) -> str:
    """Return the part of the stub of the face after the mark.

    Args:
        face: The names that the face has besides.
        prefixes: What the names of operators begin with, before the first dot.
    """
    found = (name for name in list_builders() if "." not in name and name not in face)
    lines = [
        _stub(name, "")
        for name in found
        if _can_be_written(name) and inspect.isfunction(getattr(op, name))
    ]
    for prefix in prefixes:
        lines.append("\n")
        lines += _prefix(prefix)
    return HEAD + "".join(lines)


def find_prefixes() -> list[str]:
    """Return what names of operators begin with, those that packages declare included."""
    found = {name.partition(".")[0] for name in list_builders() if "." in name}
    return [*DOMAINS, *sorted(filter(_can_be_written, found - {*DOMAINS, "relay"}))]


def _can_be_written(name: str) -> bool:
    """Return whether a name can stand behind a dot; others are found by ``getattr`` alone."""
    return name.isidentifier() and not keyword.iskeyword(name)


def _prefix(domain: str) -> Iterator[str]:
    """Yield a class whose static methods are the operators of a prefix."""
    if domain != "qnn":
        yield from _class(domain, domain, "")
        return
    yield from _class("_QuantisedOperators", domain, "")
    yield "\nclass qnn(_QuantisedOperators):\n    op: type[_QuantisedOperators]\n"
    yield "    transform: _Any  # a module\n"


def _class(title: str, domain: str, margin: str) -> Iterator[str]:
    inner = margin + INDENT
    yield f"{margin}class {title}:\n"
    for made, head in _MADE_BESIDE.get(domain, {}).items():
        yield f"{inner}@staticmethod\n{function(head, made, inner)}"
    for name in dir(Namespace(f"{domain}.")):
        full = f"{domain}.{name}"
        if not _can_be_written(name):
            continue
        found = getattr(Namespace(f"{domain}."), name)
        if isinstance(found, Namespace):
            yield from _class(name, full, inner)
        else:
            yield f"{inner}@staticmethod\n{_stub(full, inner)}"


def _stub(name: str, margin: str) -> str:
    made = builder(name)
    signature = inspect.signature(made)
    by_hand = made.__module__ != "relayish.op.builders.builder"
    parameters: list[str] = []
    for parameter in signature.parameters.values():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and "*" not in parameters:
            parameters.append("*")
        hint = _written(str(parameter.annotation)) if by_hand else _hint(name, parameter.name)
        shown = f"{_STARS.get(parameter.kind, '')}{parameter.name}: {hint}"
        parameters.append(shown + _default(parameter.default))
    returned = _written(str(signature.return_annotation)) if by_hand else "Call"
    head = f"def {name.rpartition('.')[2]}({', '.join(parameters)}) -> {returned}"
    return function(head, made, margin)


def _hint(name: str, parameter: str) -> str:
    """Return the type of a parameter of a made builder."""
    op = builder_op(name)
    parameters = Parameters(get_op(op))
    if parameter in parameters.operands:
        return "_Arg" if parameters.types.get(parameter, ARRAY) == ARRAY else "_Arg | float"
    assert parameters.cls is not None
    annotation = next(
        str(inspect.get_annotations(base)[parameter])
        for base in parameters.cls.__mro__
        if parameter in inspect.get_annotations(base)
    )
    optional = re.fullmatch(r"(.*) \| None", annotation)
    hint = _HINTS.get(optional[1] if optional else annotation, "object")
    if hint != "object" and _may_be_unknown(op, parameter):
        hint += " | Expr"
    left_out = parameters.defaults[parameter]
    none = optional is not None or (left_out is not None and left_out.value is None)
    return f"{hint} | None" if none and hint != "object" and "None" not in hint else hint


def builder_op(name: str) -> str:
    """Return the name of the operator that a builder calls."""
    return list_aliases().get(name, name)


def _may_be_unknown(op: str, parameter: str) -> bool:
    """Return whether there is an operator that takes the attribute as an argument."""
    dynamic = dynamic_form.get(get_op(op))
    static = static_form.get(dynamic)
    if static is None:
        return False
    sizes = arguments.get(dynamic, ())
    return parameter in (*sizes, *static.renamed.values())


def _written(annotation: str) -> str:
    for name, written in _IN_BUILDERS.items():
        annotation = re.sub(rf"\b{name}\b", written, annotation)
    return annotation


def face_stub(by_hand: str, operators: str) -> str:
    """Return the whole stub of the face, of one that is there and the operators anew."""
    return by_hand.split(MARK, maxsplit=1)[0] + MARK + operators


def _default(value: object) -> str:
    return "" if value is inspect.Parameter.empty else f" = {default(value)}"

"""Function attributes are named in one file, and asked for by its predicates."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

import relayish
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.relay import function_attributes
from relayish.ir.relay.expr import Function, Tuple
from relayish.ir.relay.function_attributes import (
    compiler_of_function,
    find_attribute,
    has_compiler,
    is_composite,
    is_fused,
    is_marked,
    is_opaque,
    is_primitive,
    is_skipped,
)

PACKAGE: Final = Path(relayish.__file__).parent
NAMES: Final = sorted(value for name, value in vars(function_attributes).items() if name.isupper())
SHARED: Final = {"Closure", "Extern", "Inline"}
"""Names of classes and passes as well."""
LITERAL: Final = re.compile(f'^(?! *>>>).*"({"|".join({*NAMES} - SHARED)})"', re.MULTILINE)


def unit(**attrs: object) -> Function:
    return Function((), Tuple(()), attrs=DictAttrs(attrs) if attrs else None)


def test_attribute_is_named_in_one_file_alone() -> None:
    own = Path(function_attributes.__file__)
    texts = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    named = [
        f"{path.relative_to(PACKAGE)}: {found[0].strip()}"
        for path, text in texts.items()
        if path != own
        for found in LITERAL.finditer(text)
    ]
    assert "Compiler" in NAMES
    assert named == []


@pytest.mark.parametrize(
    ("attrs", "holds"),
    [
        ({}, ()),
        ({"Primitive": 1}, (is_primitive, is_fused, is_opaque)),
        ({"Primitive": 0}, (is_fused,)),
        ({"Compiler": "dnnl"}, (has_compiler, is_fused, is_opaque, is_skipped)),
        ({"Compiler": 0}, (has_compiler, is_fused, is_opaque, is_skipped)),
        ({"Composite": "dnnl.add"}, (is_composite,)),
        ({"Extern": 1}, (is_opaque, is_skipped)),
        ({"SkipOptimization": 1}, (is_skipped,)),
        ({"SkipOptimization": 0}, ()),
    ],
)
def test_predicate_holds_of_just_these(attrs: dict[str, object], holds: tuple[object, ...]) -> None:
    predicates = (has_compiler, is_composite, is_fused, is_opaque, is_primitive, is_skipped)
    assert {found for found in predicates if found(unit(**attrs))} == set(holds)


def test_compiler_that_is_no_name_is_none() -> None:
    assert compiler_of_function(unit(Compiler="dnnl")) == "dnnl"
    assert compiler_of_function(unit(Compiler=1)) is None
    assert compiler_of_function(Tuple(())) is None


def test_attribute_of_what_is_no_function_is_none() -> None:
    assert find_attribute("text", "Compiler") is None
    assert not is_marked(Tuple(()), "Inline")

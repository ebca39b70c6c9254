"""Attributes are written so that TVM reads them: by its types of fields, and with their key."""

from __future__ import annotations

import json
import math
import random

import relayish as relay
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.nodes.node import declared_temporarily
from relayish.ir.relay.expr import Call, Function
from relayish.op import get_op, list_ops
from relayish.op.declaration.properties import arguments, attrs_in_metadata, attrs_type
from relayish.text import astext, parse_expr
from tests.support.each import each
from tests.support.seeds import SOAK, many
from tests.support.tvm_attributes import CLASSES, PLAIN, TYPES, mixed

X = relay.var("x", shape=(1, 3, 8, 8))


def section_of(text: str) -> list[dict[str, object]]:
    nodes: list[dict[str, object]] = json.loads(text.partition("#[metadata]")[2])["nodes"]
    return nodes


@each("key", [key for key in CLASSES if TYPES[key] and key.startswith("relay.attrs.")])
def test_attributes_in_the_metadata_are_written_by_the_types_that_tvm_declares(key: str) -> None:
    for values in mixed(CLASSES[key], random.Random(f"{key} {SOAK}"), many(2)):
        if any(isinstance(v, float) and math.isnan(v) for _, v in values.items()):
            continue
        nodes = section_of(astext(Call(get_op("nn.relu"), (X,), values)))
        (fields,) = [node["attrs"] for node in nodes if node["type_key"] == key]
        assert isinstance(fields, dict)
        for name, value in values.items():
            is_plain = TYPES[key][name] in PLAIN
            written = "" if value is None else str(int(value) if value is True else value)
            written = "0" if value is False else written
            if is_plain:
                assert fields[name] == written
            elif value is not None:
                assert nodes[int(fields[name])]["type_key"] not in ("", key)


@each("name", [n for n in list_ops("relay") if get_op(n) in attrs_in_metadata])
def test_attributes_that_tvm_does_not_know_by_the_operator_are_written_with_their_key(
    name: str,
) -> None:
    op, cls = get_op(name), attrs_type.get(get_op(name))
    for values in mixed(cls, random.Random(f"{name} {SOAK}"), many(2)):
        call = Call(op, (X,) * len(arguments.get(op)), values)
        text = astext(call)
        assert f'attrs_type_key="{cls.type_key}")' in text
        assert "attrs_type_key" not in str(call)
        assert_structural_equal(parse_expr(text), call, map_free_vars=True)


def test_attributes_of_a_called_function_are_written_in_its_line() -> None:
    text = 'fn (%f, %x) {\n  %f(%x, units=3, attrs_type_key="relay.attrs.DenseAttrs")\n}'
    func = parse_expr(text)
    assert isinstance(func, Function)
    assert isinstance(func.body, Call)
    assert func.body.attrs == relay.nn.dense(X, X, units=3).attrs
    assert astext(func) == text


def test_attributes_that_tvm_does_not_know_say_that_all_their_fields_refer() -> None:
    with declared_temporarily():

        @attrs("mine.OwnAttrs")
        class OwnAttrs(Attrs):
            size: int = 5
            name: str = "5"

        call = Call(get_op("nn.relu"), (X,), OwnAttrs(6, "6"))
        text = astext(call)
        (entry,) = [node for node in section_of(text) if node["type_key"] == "mine.OwnAttrs"]
        assert entry["encoding"] == "references"
        assert_structural_equal(parse_expr(text), call, map_free_vars=True)

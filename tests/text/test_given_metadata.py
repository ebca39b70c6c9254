"""Metadata that is handed over beside a text."""

from __future__ import annotations

import numpy as np
import pytest

import relayish as relay
from relayish.ir.relay.expr import Call, Function
from relayish.text import astext, parse

HEADER = '#[version = "0.0.5"]\n'
CONSTANTS = [relay.const(np.ones((2, 3), "float32")), relay.const(7)]


def body(text: str, given: dict[str, list[object]]) -> object:
    main = parse(f"{HEADER}def @main() {{ {text} }}", "from_string", None, given)["main"]
    assert isinstance(main, Function)
    return main.body


def test_given_metadata_is_what_the_text_refers_to() -> None:
    call = body(
        "add(meta[relay.Constant][0], meta[relay.Constant][1])", {"relay.Constant": [*CONSTANTS]}
    )
    assert isinstance(call, Call)
    assert call.args == tuple(CONSTANTS)


def test_given_metadata_holds_attributes() -> None:
    attrs = relay.nn.dense(*CONSTANTS, units=3).attrs
    call = body("nn.dense(1f, 1f, meta[relay.attrs.DenseAttrs][0])", {attrs.type_key: [attrs]})
    assert isinstance(call, Call)
    assert call.attrs is attrs


def test_section_of_the_text_comes_before_given_metadata() -> None:
    text = astext(relay.IRModule.from_expr(relay.Function([], CONSTANTS[0])))
    mod = parse(text, init_meta_table={"relay.Constant": [CONSTANTS[1]], "other": []})
    np.testing.assert_array_equal(mod["main"].body.data, CONSTANTS[0].data)


def test_entry_beyond_given_metadata_is_refused() -> None:
    with pytest.raises(relay.ParseError, match=r"given, which has 2 entries of that kind"):
        body("meta[relay.Constant][2]", {"relay.Constant": [*CONSTANTS]})
    with pytest.raises(relay.ParseError, match=r"not in the metadata section"):
        body("meta[relay.Call][0]", {"relay.Constant": [*CONSTANTS]})

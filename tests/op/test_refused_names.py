"""What is no name, no domain, no layout and no size is refused where it is given."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest

import relayish as relay
from relayish import op
from relayish.analysis import sparse_dense
from relayish.errors import DeclarationError, FieldError, RelayishError
from relayish.op.declaration.target import register_target_support
from tests.support.each import each

X: Final = relay.var("x", shape=(2, 8))
DENSE: Final = relay.nn.dense(X, relay.var("w", shape=(4, 8)))
MOD: Final = relay.IRModule.from_expr(relay.nn.max_pool2d(relay.var("y", shape=(1, 4, 8, 8))))
WEIGHTS: Final = {"w": np.zeros((4, 8), "float32")}


def rule(*_: object) -> None:
    """Stand for any function."""


# Any: of every type but those that are taken
NAMES: Final[dict[str, Any]] = {
    "get_op": lambda: op.get_op(3),
    "get_op without": lambda: op.get_op(None),
    "call_op": lambda: op.call_op(3),
    "builder": lambda: op.builder(3),
    "register_op_attr": lambda: op.register_op_attr(3, "my.key", 1),
    "register_op_attr, key": lambda: op.register_op_attr("add", 3, 1),
    "set_attr": lambda: op.get_op("add").set_attr(3, 1),
    "get_attr": lambda: op.get_op("add").get_attr(3),
    "register_legalize": lambda: op.register_legalize(3, rule),
    "register_legalize, table": lambda: op.register_legalize("add", rule, 30, table=3),
    "register_gradient": lambda: op.register_gradient(3, rule),
    "register_target_support": lambda: register_target_support("add", 3),
    "register_pattern_table": lambda: op.contrib.register_pattern_table(3, list),
}
DOMAINS: Final[dict[str, Any]] = {
    "get_op": lambda: op.get_op("add", 3),
    "list_ops": lambda: op.list_ops(3),
    "operators": lambda: op.operators(3),
    "is_registered": lambda: op.is_registered("add", 3),
    "register_op": lambda: op.register_op("odd", arguments=(), domain=3),
}
OTHERS: Final[dict[str, Any]] = {
    "skip_layers is 3; expected the numbers of convolutions": (
        lambda: relay.transform.LayoutConfig(3)
    ),
    "skip_layers is ['a']; expected the numbers of convolutions": (
        lambda: relay.transform.LayoutConfig(["a"])
    ),
    "nn.max_pool2d has one layout, as in ['NCHW']; found ['NHWC', 'rubbish-']": (
        lambda: relay.transform.ConvertLayout({"nn.max_pool2d": ["NHWC", "rubbish-"]})(MOD)
    ),
    "block_size is (0, 1); expected the rows and columns": (
        lambda: sparse_dense.process_params(DENSE, dict(WEIGHTS), (0, 1), 0.5)
    ),
    "block_size is 3; expected the rows and columns": (
        lambda: sparse_dense.process_params(DENSE, dict(WEIGHTS), 3, 0.5)
    ),
    "weights are looked for in a function, or its body; found 3 (int)": (
        lambda: sparse_dense.process_params(3, {}, (1, 1), 0.5)
    ),
    "regions are those of an expression; found 3 (int)": (
        lambda: relay.analysis.AnnotatedRegionSet(3, op.get_op("add"), op.get_op("add"))
    ),
    "an affine type of a tuple has the types of fields; found 3": (lambda: op.TupleAffineType(3)),
    "an affine type of a tuple has the types of fields; found 4 (int) among them": (
        lambda: op.TupleAffineType([4])
    ),
    "'nosuch' names no element type": (
        lambda: op.TensorAffineType(relay.const(1.0), relay.const(0), "nosuch")
    ),
    "the axis of an affine type is 'x'; expected a number": (
        lambda: op.TensorAffineType(relay.const(1.0), relay.const(0), "int8", "x")
    ),
}


@each("case", NAMES)
def test_name_that_is_no_text_is_refused(case: str) -> None:
    with relay.declared_temporarily(), pytest.raises(FieldError, match=r"\) is no name; expected"):
        NAMES[case]()


@each("case", DOMAINS)
def test_domain_that_is_none_is_refused(case: str) -> None:
    with relay.declared_temporarily(), pytest.raises(FieldError, match=r"3 \(int\) is no domain"):
        DOMAINS[case]()


@each("message", OTHERS)
def test_input_of_another_form_is_refused(message: str) -> None:
    with pytest.raises(RelayishError) as caught:
        OTHERS[message]()
    assert str(caught.value).startswith(message)


@each("told", [{"signature": 3}, {"arguments": ("a",), "other_names": {3: "a"}}])
def test_declaration_by_what_is_no_text_is_refused(told: dict[str, Any]) -> None:
    with pytest.raises(DeclarationError, match="of operator 'odd' is"):
        op.register_op("odd", **told)

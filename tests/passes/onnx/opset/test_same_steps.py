"""The steps that are said to change nothing: the schemas agree."""

from __future__ import annotations

from typing import Any

import pytest

onnx = pytest.importorskip("onnx")

from relayish.passes.onnx.opset.adapters import ADAPTERS  # noqa: E402 - onnx may be missing
from relayish.passes.onnx.opset.same_steps import SAME_STEPS  # noqa: E402
from relayish.passes.onnx.opset.step import versions_of  # noqa: E402
from tests.support.each import each  # noqa: E402

pytestmark = pytest.mark.references

REFUSED = {("Scan", 9)}
"""Its first version had a batch."""
ADDED = {
    "allowzero": 0, "antialias": 0, "batch_dims": 0, "block_size": 0, "ceil_mode": 0,
    "count_include_pad": 0, "keep_aspect_ratio_policy": b"stretch", "largest": 1, "layout": 0,
    "left_window_size": -1, "mode": b"DCR", "output_dtype": 0, "precision": 0,
    "reduction": b"none", "right_window_size": -1, "round_mode": b"up", "saturate": 1,
    "select_last_index": 0, "sorted": 1, "start": 0, "stash_type": 1, "storage_order": 0,
    "training_mode": 0, "axis": 1,
}  # fmt: skip
"""Attributes that were added, with defaults that say what was done before."""


def schema(name: str, version: int) -> Any:  # Any: a schema, which onnx does not type
    return onnx.defs.get_schema(name, version)


def default(attribute: Any) -> Any:  # Any: an attribute of a schema; its default
    if not attribute.default_value.type:
        return None
    return onnx.helper.get_attribute_value(attribute.default_value)


STEPS = [
    (name, old, new)
    for name in sorted({each.name for each in onnx.defs.get_all_schemas_with_history()})
    for old, new in zip(versions_of(name), versions_of(name)[1:], strict=False)
]


def test_every_step_is_the_same_or_rewritten_or_refused() -> None:
    same = {(name, version) for name, versions in SAME_STEPS.items() for version in versions}
    assert same.isdisjoint(ADAPTERS)
    assert same | set(ADAPTERS) | REFUSED == {(name, new) for name, _, new in STEPS}


@each("step", [step for step in STEPS if step[2] in SAME_STEPS.get(step[0], ())])
def test_schemas_of_a_step_that_changes_nothing_agree(step: tuple[str, int, int]) -> None:
    name, old, new = step
    before, after = schema(name, old), schema(name, new)
    assert not after.deprecated
    for told, attribute in before.attributes.items():
        later = after.attributes[told]
        assert later.type == attribute.type
        assert default(later) == default(attribute)
        assert attribute.required or not later.required
    for told in set(after.attributes) - set(before.attributes):
        added = after.attributes[told]
        assert not added.required
        value = default(added)
        assert value is None or value == ADDED[told]
    for one, other in (
        (before.inputs, after.inputs),
        (before.outputs, after.outputs),
    ):
        assert len(one) <= len(other)
        for held, kept in zip(one, other, strict=False):
            assert set(held.types) <= set(kept.types)
            assert kept.option in (held.option, kept.option.Optional)
        assert all(each.option == each.option.Optional for each in other[len(one) :])

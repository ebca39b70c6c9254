"""What is registered for operators stands in place of their calls, and layouts go on from there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from relayish import op
from relayish.analysis.infer_type import infer_type
from relayish.errors import DeclarationError, PassError
from relayish.ir.registration.declarations import declared_temporarily
from relayish.ir.relay.module import IRModule
from relayish.op import register_alter_op_layout, register_infer_layout, register_op
from relayish.op.declaration.layout_rule import InferredLayouts
from relayish.text import parse
from relayish.transform import AlterOpLayout, CanonicalizeOps, PassContext, Sequential
from tests.support.recorded import assert_same_program

HEADER = '#[version = "0.0.5"]\n'
Alter = Callable[[Any, Any, Any, Any], Any]


@pytest.fixture(autouse=True)
def forgotten():
    with declared_temporarily():
        yield


def parsed(text: str) -> IRModule:
    return infer_type(parse(HEADER + text))


def altered(text: str, **alterations: Alter) -> IRModule:
    """Return what the pass makes of a program; ``nn_conv2d=f`` registers for ``nn.conv2d``."""
    for name, alter in alterations.items():
        register_alter_op_layout(name.replace("nn_", "nn."), alter, 77)
    with PassContext(opt_level=3):
        return Sequential([CanonicalizeOps(), AlterOpLayout()])(parsed(text))


def with_attrs(build: Callable[..., Any], **values: Any) -> Alter:
    def alter(attrs: Any, inputs: Any, tinfos: Any, out_type: Any) -> Any:
        return build(*inputs, **{**dict(attrs.items()), **values})

    return alter


SPLIT = with_attrs(op.nn.conv2d, data_layout="NCHW16c")

ALTERATIONS: dict[str, dict[str, Alter]] = {
    "a bias, what follows it, and a call without a rule": {
        "nn_conv2d": with_attrs(op.nn.conv2d, data_layout="NCHW16c", kernel_layout="OIHW16i")
    },
    "an operator that needs an axis whole": {"nn_conv2d": SPLIT},
    "numbers, and one number": {"nn_conv2d": SPLIT},
    "operands of fewer axes, one of them of size one": {
        "nn_conv2d": with_attrs(op.nn.conv2d, data_layout="NCHW4c", kernel_layout="OIHW4i4o")
    },
    "data that is split already": {
        "nn_conv2d": with_attrs(op.nn.conv2d, data_layout="NCHW2c", kernel_layout="OIHW2i2o")
    },
    "padding of whole axes": {"nn_conv2d": SPLIT},
    "padding of the axis that is split": {"nn_conv2d": SPLIT},
    "fields of a tuple": {"nn_conv2d": SPLIT},
    "a cut between parts": {
        "nn_conv2d": with_attrs(
            op.nn.contrib_conv2d_nchwc, data_layout="NCHW4c", kernel_layout="OIHW4i4o"
        )
    },
    "a reduction over the axis that is split": {"nn_conv2d": SPLIT},
    "more than a call in its place": {
        "nn_conv2d": lambda attrs, inputs, _tinfos, _out: op.nn.conv2d(
            inputs[0], op.multiply(inputs[1], op.const(2.0)), **dict(attrs.items())
        )
    },
    "an operator of which no layouts are known": {
        "nn_batch_flatten": lambda _attrs, inputs, _tinfos, _out: op.reshape(inputs[0], [0, -1]),
        "nn_conv2d": with_attrs(op.nn.conv2d, data_layout="NHWC"),
    },
}
"""What is registered in each of the cases of ``tests/cases/alter_op_layout.txt``."""
CASES = Path(__file__).parents[3] / "cases" / "alter_op_layout.txt"


def _case(name: str) -> tuple[str, str]:
    _, _, behind = CASES.read_text().partition(f"// {name}\n")
    before, _, after = behind.partition("\n\n//")[0].partition("\n==>\n")
    return before, after


def test_every_case_is_tried():
    names = [line[3:] for line in CASES.read_text().splitlines() if line.startswith("// ")]
    assert names == list(ALTERATIONS)


@pytest.mark.parametrize("case", ALTERATIONS)
def test_layouts_are_carried_through(case: str) -> None:
    before, after = _case(case)
    assert_same_program(altered(before, **ALTERATIONS[case]), HEADER + after)


SMALL = """
def @main(%x: Tensor[(1, 4, 6, 6), float32], %w: Tensor[(4, 4, 1, 1), float32]) {
  nn.conv2d(nn.relu(%x), %w, padding=[0, 0, 0, 0], channels=4, kernel_size=[1, 1])
}
"""


def test_program_stays_itself_where_nothing_is_registered():
    mod = parsed(SMALL)
    assert AlterOpLayout()(mod) is mod


def test_program_stays_itself_where_functions_leave_calls():
    register_alter_op_layout("nn.conv2d", lambda _attrs, _inputs, _tinfos, _out: None, 77)
    mod = parsed(SMALL)
    assert AlterOpLayout()(mod) is mod


def test_function_is_given_types_as_they_were():
    asked = []

    def ask(attrs, inputs, tinfos, out_type):
        asked.append(([ty.shape for ty in tinfos], out_type.shape, len(inputs), attrs.channels))

    altered(SMALL, nn_conv2d=ask)
    assert asked == [([(1, 4, 6, 6), (4, 4, 1, 1)], (1, 4, 6, 6), 2, 4)]


@pytest.mark.parametrize(
    "answer", [lambda x: x, lambda x: 1, op.nn.relu], ids=["variable", "number", "one"]
)
def test_answer_is_refused_that_is_no_call_with_as_many_arguments(answer):
    with pytest.raises(PassError, match=r"must be a call of an operator with 2 arguments; found"):
        altered(SMALL, nn_conv2d=lambda _attrs, inputs, _tinfos, _out: answer(inputs[0]))


def test_parts_that_do_not_divide_an_axis_leave_the_call():
    text = SMALL.replace("(1, 4, 6, 6)", "(1, 6, 6, 6)").replace("(4, 4, 1, 1)", "(4, 6, 1, 1)")
    alter = with_attrs(op.nn.conv2d, data_layout="NCHW4c")
    assert_same_program(altered(text, nn_conv2d=alter), HEADER + text)


def test_rule_of_another_package_is_asked():
    register_op("my.flip", arguments=("data",), rule=lambda _, ty: ty, evaluate=lambda _, x: x)

    def follow(attrs, new_in_layouts, old_in_layouts, old_in_types):
        (layout,) = old_in_layouts if new_in_layouts is None else new_in_layouts
        return layout and InferredLayouts((layout,), (layout,), attrs)

    register_infer_layout("my.flip", follow)
    text = """
    def @main(%x: Tensor[(1, 4, 6, 6), float32], %w: Tensor[(4, 4, 1, 1), float32]) {
      my.flip(nn.conv2d(%x, %w, padding=[0, 0, 0, 0]))
    }
    """
    after = """
    def @main(%x: Tensor[(1, 4, 6, 6), float32], %w: Tensor[(4, 4, 1, 1), float32]) {
      %0 = layout_transform(%x, src_layout="NCHW", dst_layout="NHWC");
      %1 = nn.conv2d(%0, %w, padding=[0, 0, 0, 0], data_layout="NHWC");
      layout_transform(my.flip(%1), src_layout="NHWC", dst_layout="NCHW")
    }
    """
    mod = altered(text, nn_conv2d=with_attrs(op.nn.conv2d, data_layout="NHWC"))
    assert_same_program(mod, HEADER + after)


def test_rule_that_answers_for_another_number_of_tensors_is_refused():
    register_infer_layout("exp", lambda attrs, _new, _old, _types: InferredLayouts((), (), attrs))
    with pytest.raises(DeclarationError, match=r"layout rule of exp answers .* of 1 inputs"):
        altered("def @main(%x: Tensor[(2), float32]) { exp(%x) }", exp=lambda *_: None)

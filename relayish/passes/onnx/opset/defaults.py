"""Steps that drop attributes, change defaults, or say the same in another way."""

from __future__ import annotations

from typing import Final

from relayish.ir.relay.expr import Expr
from relayish.onnx.calls import count_outputs
from relayish.onnx.package import load_onnx
from relayish.passes.onnx.opset.step import Adapter, Step


def drop(*names: str) -> Adapter:
    """Return what leaves out attributes that say nothing of what is computed."""

    def adapt(step: Step) -> Expr:
        for name in names:
            step.pop(name)
        return step.finish()

    return adapt


def fill(**values: object) -> Adapter:
    """Return what writes down defaults of the version before, which are others now."""

    def adapt(step: Step) -> Expr:
        step.pop("consumed_inputs")
        for name, value in values.items():
            step.attributes.setdefault(name, value)
        return step.finish()

    return adapt


def rename(operator: str) -> Adapter:
    """Return what calls the operator that another one is called now."""
    return lambda step: step.finish(operator)


def needs_floats(step: Step) -> Expr:
    """Convert a call whose operator no longer takes integers."""
    dtype = step.dtype(0, "whether the operator still takes it")
    if not dtype.startswith(("float", "bfloat")):
        step.refuse(f"its input is of {dtype}, and only floating point numbers are taken there")
    return step.finish()


def _drop_test_mode(step: Step) -> Expr:
    """Leave out whether this is a test, where it says the same as the number of results does."""
    is_test = step.pop("is_test", 0)
    step.pop("consumed_inputs")
    if bool(is_test) == (count_outputs(step.call.attrs) > 1):
        step.refuse(
            f"it has is_test={is_test} and {count_outputs(step.call.attrs)} results; expected one "
            f"result where it is 1, more where it is 0"
        )
    return step.finish()


def _name_type(step: Step) -> Expr:
    """Make the name of an element type its number."""
    name = step.pop("to")
    step.attributes["to"] = load_onnx("onnx").TensorProto.DataType.Value(_text(name).upper())
    return step.finish()


def _make_power_whole(step: Step) -> Expr:
    """Make the power of a norm an integer."""
    power = step.pop("p", 2.0)
    if power != int(power):
        step.refuse(f"its power is {power}, and only integers are taken there")
    step.attributes["p"] = int(power)
    if step.name == "LpPool" and "kernel_shape" not in step.attributes:
        step.refuse("it does not say how large its kernel is: no attribute 'kernel_shape'")
    return step.finish()


def _rename_mode(step: Step) -> Expr:
    mode = _text(step.pop("mode", "bilinear"))
    step.attributes["mode"] = {"bilinear": "linear", "bicubic": "cubic"}.get(mode, mode)
    return step.finish()


def _drop_foward(step: Step) -> Expr:
    """Write down the default direction, which was misspelt."""
    direction = _text(step.pop("direction", "foward"))
    step.attributes["direction"] = "forward" if direction == "foward" else direction
    return step.finish()


def _add_num_outputs(step: Step) -> Expr:
    """Say in how many parts is split, where their sizes are not given."""
    if len(step.inputs) < 2:
        step.attributes["num_outputs"] = count_outputs(step.call.attrs)
    return step.finish()


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value


_CONSUMERS: Final = (
    "Abs", "Ceil", "Clip", "Elu", "Exp", "Floor", "HardSigmoid", "InstanceNormalization",
    "LeakyRelu", "Log", "Max", "Mean", "Min", "Neg", "PRelu", "Reciprocal", "Relu", "Sigmoid",
    "Sqrt", "Sum", "Tanh", "Add", "Sub", "Mul", "Div", "BatchNormalization", "Dropout",
)  # fmt: skip

ADAPTERS: Final[dict[tuple[str, int], Adapter]] = {
    **{(name, 6): drop("consumed_inputs") for name in _CONSUMERS},
    ("Selu", 6): fill(alpha=1.673200011253357, gamma=1.0506999492645264),
    ("Concat", 4): fill(axis=1),
    ("RoiAlign", 16): fill(coordinate_transformation_mode="output_half_pixel"),
    ("Cast", 6): _name_type,
    ("Dropout", 7): _drop_test_mode,
    ("BatchNormalization", 7): _drop_test_mode,
    ("GlobalLpPool", 2): _make_power_whole,
    ("LpPool", 2): _make_power_whole,
    ("Gemm", 7): drop("broadcast"),
    ("GridSample", 20): _rename_mode,
    ("GRU", 3): _drop_foward,
    ("GRU", 7): drop("output_sequence"),
    ("LSTM", 7): drop("output_sequence"),
    ("RNN", 7): drop("output_sequence"),
    ("Scatter", 11): rename("ScatterElements"),
    ("Split", 18): _add_num_outputs,
    ("Erf", 13): needs_floats,
    ("ReduceLogSum", 28): needs_floats,
    ("ReduceLogSumExp", 28): needs_floats,
}

"""Loops of models as functions that call themselves: beside the loops themselves, and compiled."""

import numpy as np
import pytest

import relayish as relay
from relayish.codegen.c.executor import build_network
from relayish.codegen.c.toolchain import find_toolchain
from relayish.errors import UnlowerableError
from tests.support.compiled_networks import leaves
from tests.support.each import each

pytest.importorskip("onnx")
pytestmark = pytest.mark.references

HEAD = '#[version = "0.0.5"]\n'
X, M = "Tensor[(3), float32]", "Tensor[(4, 2), float32]"


def loop(given, outputs, body, more=""):
    return f"""def @main(%n: int64, %c: bool, %x: {X}, %y: {X}) {{
      %0 = fn (%i: int64, %on: bool, %a: {X}, %b: {X}) {{ {body} }};
      onnx::Loop_16({given}, %x, %y, %0, _graphs=["body"], _outputs={outputs})
    }}"""


def scan(attributes, outputs):
    return f"""def @main(%s: Tensor[(2), float32], %x: {M}, %y: Tensor[(2, 4), float32]) {{
      %0 = fn (%a: Tensor[(2), float32], %b: Tensor[(2), float32], %c: Tensor[(2), float32]) {{
        (add(%a, multiply(%b, %c)), multiply(%a, 2f), subtract(%b, %c))
      }};
      onnx::Scan_16(%s, %x, %y, %0, _graphs=["body"], _outputs={outputs}, num_scan_inputs=2,
        {attributes})
    }}"""


SUM = "(%on, add(%a, %b), %a)"
GROWS = "(less(sum(%a), 50f), add(%a, %b), %a)"
ROWS = '(%on, add(%a, %b), %a, add(%a, cast(%i, dtype="float32")), sum(%b))'
X_BACK = "scan_input_axes=[0, 1], scan_input_directions=[1, 0]"
WRITTEN = {
    "a trip count that is given": loop("%n, True", 2, SUM),
    "a condition that the body computes": loop("(), %c", 2, GROWS),
    "a trip count and a condition": loop("%n, %c", 2, GROWS),
    "no condition": loop("%n, ()", 2, GROWS),
    "rows that are collected": loop("4i64, True", 4, ROWS),
    "a scan": scan("scan_input_axes=[0, 1]", 3),
    "a scan from the end": scan(X_BACK, 3),
    "a scan whose rows are columns": scan(
        f"{X_BACK}, scan_output_axes=[1, 0], scan_output_directions=[1, 0]", 3
    ),
}


def module(text):
    return relay.transform.InferType()(relay.parse(HEAD + text))


def arguments(mod, count):
    generator = np.random.default_rng(5)
    scalars = {"int64": np.int64(count), "bool": np.bool_(count != 3)}
    types = [param.type_annotation for param in mod["main"].params]
    return [scalars.get(ty.dtype, generator.random(ty.shape).astype("float32")) for ty in types]


@pytest.mark.slow("compiles a network for each loop")
@each("name", list(WRITTEN))
def test_loops_compute_what_they_did_and_compile(name):
    mod = module(WRITTEN[name])
    lowered = relay.transform.LowerOnnxLoops(unlowerable="refuse")(mod)
    assert "onnx::" not in lowered.astext()
    net = build_network(mod, toolchain=find_toolchain(("-std=c11", "-O0")))
    for count in (0, 1, 3, 6):
        given = arguments(mod, count)
        expected = leaves(relay.create_executor(mod=mod).evaluate()(*given))
        written = leaves(relay.create_executor(mod=lowered).evaluate()(*given))
        found = leaves(net(*given))
        for a, b, c in zip(expected, written, found, strict=True):
            assert np.array_equal(a, b)
            assert np.allclose(a, c, rtol=1e-6)


LEFT = {
    "rows of a loop that may end": (loop("4i64, True", 4, ROWS.replace("%on,", "%c,")), "rows"),
    "rows of a number that is given": (loop("%n, True", 4, ROWS), "how many rows"),
    "no end": (loop("(), True", 2, SUM), "nothing ends it"),
}


@each("name", list(LEFT))
def test_what_no_function_says_stays_or_is_refused(name):
    text, reason = LEFT[name]
    mod = module(text.replace("%c, add", "less(sum(%a), 9f), add"))
    assert relay.transform.LowerOnnxLoops()(mod) is mod
    with pytest.raises(UnlowerableError, match=reason):
        relay.transform.LowerOnnxLoops(unlowerable="refuse")(mod)

"""The networks are those that TVM builds, node for node."""

from __future__ import annotations

import gzip
import json

import pytest

from relayish import testing
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.text import astext, parse
from tests.support.shared_data import shared_path

TYPED = {
    "mlp": lambda: testing.mlp.get_workload(1),
    "resnet18": testing.resnet.get_workload,
    "dcgan": lambda: testing.dcgan.get_workload(1),
    "lstm": lambda: testing.lstm.get_workload(16, 16),
    "squeezenet": testing.squeezenet.get_workload,
}
UNTYPED = {
    "%dense2_weight": testing.synthetic.get_net,
    "%g2_deconv_weight": lambda: testing.dcgan.get_net(1),
    "%batch_1_0_0_gamma": lambda: testing.densenet.get_net(1),
    "%mixed_1_conv_conv1_weight": lambda: testing.inception_v3.get_net(
        1, 1000, (3, 299, 299), "float32"
    ),
    "%separable_conv_block_1_weight": testing.mobilenet.mobile_net,
    "%i2h_4_weight": lambda: testing.lstm.get_net(5, 4),
}
"""Networks by the name of a weight that no other recorded program has."""


def names(func):
    """Return the names of the parameters as text shows them."""
    return [p.name_hint for p in parse_main(f"def @main{astext(func)[2:]}").params]


def parse_main(text):
    version = "" if text.startswith("#[version") else '#[version = "0.0.5"]\n'
    return parse(version + text)["main"]


@pytest.fixture(scope="module")
def recorded_nets():
    """Return the first recorded program with each of the weights, before its types are inferred."""
    found = {}
    with gzip.open(shared_path("corpus/pairs.jsonl.gz"), "rt", encoding="utf-8") as lines:
        for line in lines:
            for weight in UNTYPED:
                if weight in line and weight not in found:
                    found[weight] = json.loads(line)["before"]
    return found


@pytest.mark.parametrize("name", TYPED)
def test_workload_is_the_recorded_one_with_its_types(name):
    recorded = parse(shared_path(f"programs/{name}.relay").read_text(encoding="utf-8"))
    mod, params = TYPED[name]()
    assert_structural_equal(mod, recorded)
    func, other = mod["main"], recorded["main"]
    assert names(func) == [p.name_hint for p in other.params]
    weights = [p for p in func.params if p.name_hint != "data"]
    assert list(params) == [p.name_hint for p in weights]
    for param in weights:
        array = params[param.name_hint]
        assert (array.shape, str(array.dtype)) == (
            param.type_annotation.shape,
            param.type_annotation.dtype,
        )


@pytest.mark.parametrize("weight", UNTYPED)
def test_network_is_the_recorded_one_before_inference(weight, recorded_nets):
    recorded = parse_main(recorded_nets[weight])
    func = UNTYPED[weight]()
    assert_structural_equal(func, recorded)
    assert names(func) == [p.name_hint for p in recorded.params]

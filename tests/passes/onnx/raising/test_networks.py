"""Networks of Relay's operators, written as models of ONNX and read again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

import relayish as relay  # noqa: E402
from relayish.errors import PassError  # noqa: E402
from relayish.frontend.onnx import from_onnx, to_onnx  # noqa: E402
from relayish.frontend.onnx.session import OnnxSession  # noqa: E402
from relayish.testing import dqn, mlp, mobilenet, resnet, squeezenet  # noqa: E402

pytestmark = pytest.mark.references

NETWORKS: dict[str, Any] = {
    "mlp": lambda: mlp.get_workload(2),
    "dqn": lambda: dqn.get_workload(1),
    "resnet": lambda: resnet.get_workload(1, 10, num_layers=18, image_shape=(3, 32, 32)),
    "mobilenet": lambda: mobilenet.get_workload(1, 10, image_shape=(3, 32, 32)),
    "squeezenet": lambda: squeezenet.get_workload(1, 10, image_shape=(3, 64, 64)),
}


SLOW = pytest.mark.slow("two runs of eighteen layers of convolutions")


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=[SLOW] if each == "resnet" else []) for each in NETWORKS]
)
def test_a_network_computes_the_same_as_a_model(name: str) -> None:
    mod, params = NETWORKS[name]()
    bound = relay.transform.BindParams(params=params)(mod) if params else mod
    model = to_onnx(bound)
    onnx.checker.check_model(model, full_check=True)
    main: Any = bound["main"]
    rng = np.random.default_rng(0)
    inputs = [
        rng.standard_normal(param.type_annotation.concrete_shape).astype("float32")
        for param in main.params
    ]
    expected = relay.create_executor("graph", mod=bound).evaluate()(*inputs)
    (found,) = OnnxSession(from_onnx(model)).run(inputs)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_what_onnx_has_not_is_refused_by_name() -> None:
    x = relay.var("x", shape=(4,))
    mod = relay.IRModule.from_expr(relay.Function([x], relay.annotation.cast_hint(x, "float16")))
    with pytest.raises(PassError, match="cast_hint"):
        to_onnx(mod)


def test_a_model_without_operators_of_relay_is_left_as_it_is() -> None:
    from relayish.frontend.onnx.raising import raise_module  # noqa: PLC0415
    from relayish.onnx import find_operator, make_call  # noqa: PLC0415

    x = relay.var("x", shape=(4,))
    call = make_call(find_operator("Relu", 14), [x])
    mod = relay.IRModule.from_expr(relay.Function([x], call))
    assert raise_module(mod) is mod

"""Programs that torch exported compute what torch computes, in ONNX's operators and in Relay's."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")
pytest.importorskip("onnxscript")

from relayish.errors import ModelError, PackageError  # noqa: E402
from relayish.frontend import from_torch  # noqa: E402
from relayish.frontend.onnx.session import OnnxSession  # noqa: E402
from relayish.ir.relay.module import IRModule  # noqa: E402
from relayish.onnx.calls import calls_onnx  # noqa: E402
from relayish.transform import LowerOnnx  # noqa: E402

pytestmark = pytest.mark.references

TOLERANCE = 1e-5
"""What results may differ by, in parts of 1 and of their magnitude: sums in another order."""


class Recurrent(torch.nn.Module):
    """Gives sequence and states: a tensor, and a tuple of tensors."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm = torch.nn.LSTM(4, 5, batch_first=True)

    def forward(self, x: Any) -> Any:
        return self.lstm(x)


class Branching(torch.nn.Module):
    def forward(self, x: Any) -> Any:
        return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x * 2, (x,))


class Named(torch.nn.Module):
    def forward(self, x: Any, y: Any) -> Any:
        return {"sum": x.sum(1), "both": (x * y, y.transpose(0, 1))}


def dense_network() -> Any:
    layers = (torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3), torch.nn.Softmax(-1))
    return torch.nn.Sequential(*layers)


def convolutional_network() -> Any:
    norm = torch.nn.BatchNorm2d(4)
    norm.running_mean.uniform_()
    norm.running_var.uniform_(0.5, 2)
    conv = torch.nn.Conv2d(3, 4, 3, padding=1)
    return torch.nn.Sequential(conv, norm, torch.nn.ReLU(), torch.nn.MaxPool2d(2))


class Network(NamedTuple):
    make: Callable[[], Any]
    shapes: tuple[tuple[int, ...], ...]
    dynamic: bool = False
    opset: int | None = None


NETWORKS: dict[str, Network] = {
    "any batch": Network(dense_network, ((2, 4),), dynamic=True),
    "convolutional": Network(convolutional_network, ((1, 3, 8, 8),)),
    "recurrent": Network(Recurrent, ((2, 3, 4),)),
    "branching": Network(Branching, ((2, 3),), opset=18),
    "named outputs": Network(Named, ((2, 3), (2, 3))),
}


class Exported(NamedTuple):
    network: Any
    program: Any
    mod: IRModule


@pytest.fixture(scope="module")
def exported() -> dict[str, Exported]:
    """Return each network, as torch exported it and as it was read."""
    torch.manual_seed(0)
    found = {}
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")  # torch warns of itself
        for name, (make, shapes, dynamic, opset) in NETWORKS.items():
            network = make().eval()
            batch = ({0: torch.export.Dim("batch")},) if dynamic else None
            examples = tuple(torch.randn(shape) for shape in shapes)
            program = torch.export.export(network, examples, dynamic_shapes=batch)
            found[name] = Exported(network, program, from_torch(program, opset=opset))
    return found


def flatten(value: Any) -> list[Any]:
    """Return the tensors of a result, in the order in which torch exports them."""
    return [each.numpy() for each in torch.utils._pytree.tree_leaves(value)]


def check(network: Any, mod: IRModule, *inputs: Any) -> None:
    """Compare what a module computes with what torch does."""
    with torch.no_grad():
        expected = flatten(network(*inputs))
    found = OnnxSession(mod).run([each.numpy() for each in inputs])
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        np.testing.assert_allclose(one, other, rtol=TOLERANCE, atol=TOLERANCE)


@pytest.mark.slow("torch exports the networks of all tests, and looks its operators up for each")
@pytest.mark.parametrize("name", NETWORKS)
def test_a_program_computes_what_torch_does(name: str, exported: dict[str, Exported]) -> None:
    network, _, mod = exported[name]
    assert calls_onnx(mod["main"])
    for sign in (1, -1):  # for either branch
        check(network, mod, *[sign * torch.rand(shape) for shape in NETWORKS[name].shapes])


@pytest.mark.parametrize("name", NETWORKS)
def test_a_program_computes_the_same_once_it_is_lowered(
    name: str, exported: dict[str, Exported]
) -> None:
    network, _, mod = exported[name]
    lowered = LowerOnnx(unlowerable="refuse")(mod)
    assert not any(calls_onnx(function) for function in lowered.functions.values())
    for sign in (1, -1):
        check(network, lowered, *[sign * torch.rand(shape) for shape in NETWORKS[name].shapes])


def test_a_program_of_any_batch_takes_other_batches(exported: dict[str, Exported]) -> None:
    network, _, mod = exported["any batch"]
    for rows in (1, 7):
        check(network, mod, torch.rand(rows, 4))
        check(network, LowerOnnx()(mod), torch.rand(rows, 4))


def test_outputs_go_by_the_names_of_the_export(exported: dict[str, Exported]) -> None:
    _, program, mod = exported["named outputs"]
    session = OnnxSession(mod)
    assert session.input_names == ("x", "y")
    assert session.output_names == tuple(program.graph_signature.user_outputs)


def test_the_operator_set_is_that_asked_for(exported: dict[str, Exported]) -> None:
    assert dict(exported["branching"].mod.attrs["onnx.opsets"].items())[""] == 18


def test_a_network_that_was_not_exported_is_refused() -> None:
    told = (
        r"Sequential is no exported program; write from_torch\(torch\.export\.export\(module, args"
    )
    with pytest.raises(ModelError, match=told):
        from_torch(dense_network())


def test_what_torch_cannot_write_is_refused() -> None:
    with torch.library._scoped_library("relayish_tests", "DEF") as library:
        library.define("odd(Tensor x) -> Tensor")
        library.impl("odd", lambda x: x + 1, "CompositeExplicitAutograd")

        class Odd(torch.nn.Module):
            def forward(self, x: Any) -> Any:
                return torch.ops.relayish_tests.odd(x)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program = torch.export.export(Odd(), (torch.rand(2),))
            with pytest.raises(
                ModelError, match=r"as a model of ONNX: No ONNX function found for .*odd"
            ):
                from_torch(program)


@pytest.mark.parametrize("package", ["torch", "onnxscript"])
def test_a_package_that_is_missing_is_named(
    package: str, exported: dict[str, Exported], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(PackageError, match=f"the package '{package}' is not installed; .* pip"):
        from_torch(exported["convolutional"].program)

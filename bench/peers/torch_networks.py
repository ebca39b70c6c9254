"""Networks as torch exports them: python torch_networks.py FOLDER [NAME...].

Weights are random, from a seed. Both exporters write what they can: `.ts` by way of TorchScript,
`.dy` by way of `torch.export`, which needs onnxscript.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn


class Residual(nn.Module):
    """Two convolutions with norms, and a way around them."""

    def __init__(self, inside: int, outside: int, stride: int) -> None:
        super().__init__()
        self.way = nn.Sequential(
            nn.Conv2d(inside, outside, 3, stride, 1, bias=False),
            nn.BatchNorm2d(outside),
            nn.ReLU(),
            nn.Conv2d(outside, outside, 3, 1, 1, bias=False),
            nn.BatchNorm2d(outside),
        )
        self.around = nn.Sequential(
            nn.Conv2d(inside, outside, 1, stride, bias=False), nn.BatchNorm2d(outside)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.way(x) + self.around(x))


class Shuffle(nn.Module):
    """Channels in groups, shuffled by shapes that are computed when it runs."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(8, 16, 1, groups=2)
        self.last = nn.Linear(16, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.first(x)
        n, c, h, w = x.shape
        x = x.view(n, 2, c // 2, h, w).transpose(1, 2).reshape(n, c, h, w)
        return self.last(x.mean((2, 3)))


class Encoder(nn.Module):
    """Two layers of a transformer over embedded indices."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(100, 32)
        layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.last = nn.Linear(32, 100)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.last(self.layers(self.embed(ids)))


class Recurrent(nn.Module):
    """A bidirectional GRU over a spectrum."""

    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(20, 24, 2, bidirectional=True, batch_first=True)
        self.last = nn.Linear(48, 7)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(self.gru(x)[0]).log_softmax(-1)


class Speech(nn.Module):
    """Convolutions over samples, two layers of a transformer behind them."""

    def __init__(self) -> None:
        super().__init__()
        self.samples = nn.Sequential(
            nn.Conv1d(1, 32, 10, 5, bias=False),
            nn.GroupNorm(32, 32),
            nn.GELU(),
            nn.Conv1d(32, 64, 3, 2, bias=False),
            nn.GELU(),
        )
        self.norm = nn.LayerNorm(64)
        self.places = nn.Conv1d(64, 64, 17, padding=8, groups=4)
        layer = nn.TransformerEncoderLayer(64, 4, 128, activation="gelu", batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.norm(self.samples(x[:, None]).transpose(1, 2))
        x = x + nn.functional.gelu(self.places(x.transpose(1, 2))).transpose(1, 2)
        return self.layers(x)


def residual() -> nn.Module:
    ends = (nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10))
    return nn.Sequential(Residual(3, 16, 1), Residual(16, 32, 2), *ends)


Network = tuple[Callable[[], nn.Module], tuple[torch.Tensor, ...], dict[str, dict[int, str]]]
NETWORKS: dict[str, Network] = {
    "residual": (residual, (torch.zeros(2, 3, 32, 32),), {"x": {0: "batch"}}),
    "shuffle": (Shuffle, (torch.zeros(2, 8, 12, 12),), {"x": {0: "batch", 2: "h", 3: "w"}}),
    "encoder": (Encoder, (torch.zeros(2, 9, dtype=torch.int64),), {"ids": {0: "batch"}}),
    "speech": (Speech, (torch.zeros(2, 4000),), {"x": {0: "batch"}}),
    "recurrent": (Recurrent, (torch.zeros(2, 11, 20),), {"x": {0: "batch"}}),
}


def main() -> None:
    folder, *names = sys.argv[1:]
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name in names or NETWORKS:
        build, inputs, axes = NETWORKS[name]
        torch.manual_seed(0)
        network = build().eval()
        for kind in ("ts", "dy"):
            path = Path(folder) / f"{name}.{kind}.onnx"
            try:
                export(network, inputs, axes, path, is_dynamo=kind == "dy")
            except Exception as error:  # noqa: BLE001 - an exporter that cannot is left out
                print(f"{path.name}: {type(error).__name__}: {error}"[:200], file=sys.stderr)


def export(
    network: nn.Module,
    inputs: tuple[torch.Tensor, ...],
    axes: dict[str, dict[int, str]],
    path: Path,
    *,
    is_dynamo: bool,
) -> None:
    named = {"input_names": list(axes), "output_names": ["out"]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if is_dynamo:
            torch.onnx.export(network, inputs, path, dynamo=True, external_data=False, **named)
        else:
            torch.onnx.export(
                network,
                inputs,
                str(path),
                dynamo=False,
                dynamic_axes=axes,
                opset_version=17,
                **named,
            )


if __name__ == "__main__":
    main()

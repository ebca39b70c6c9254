"""Whole programs to put through passes: networks of ``relay.testing``, and recorded ones."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Final

import numpy as np
import pytest

from relayish.interpreter import random_arguments
from relayish.ir.relay.expr import Function
from relayish.ir.relay.module import IRModule
from relayish.testing import dcgan, dqn, lstm, mlp, mobilenet, resnet, squeezenet, synthetic
from relayish.text import parse
from tests.support.shared_data import shared_path

SMALL = (3, 32, 32)

NETWORKS: Final[dict[str, Callable[[], IRModule]]] = {
    "dcgan": lambda: dcgan.get_workload(batch_size=1, ngf=4, random_len=8)[0],
    "dqn": lambda: dqn.get_workload(batch_size=1, image_shape=(4, 36, 36))[0],
    "lstm": lambda: lstm.get_workload(3, 4)[0],
    "mlp": lambda: mlp.get_workload(batch_size=2)[0],
    "mobilenet": lambda: mobilenet.get_workload(image_shape=SMALL, num_classes=5)[0],
    "resnet": lambda: resnet.get_workload(num_layers=18, image_shape=SMALL, num_classes=5)[0],
    "squeezenet": lambda: squeezenet.get_workload(image_shape=(3, 64, 64), num_classes=5)[0],
    "synthetic": lambda: synthetic.get_workload(input_shape=(1, 3, 8, 8))[0],
}

RECORDED: Final = ("dcgan", "lstm", "mlp", "resnet18", "squeezenet")


@cache
def whole_programs() -> dict[str, IRModule]:
    """Return the programs by name; the recorded ones only where they are."""
    found = {name: make() for name, make in NETWORKS.items()}
    for name in RECORDED:
        try:
            path = shared_path(f"programs/{name}.relay")
        except pytest.skip.Exception:
            continue
        found[f"recorded {name}"] = parse(path.read_text())
    return found


def arguments(mod: IRModule) -> list[object]:
    """Return arguments of ``main`` that leave numbers neither vanishing nor out of bounds."""
    func = mod["main"]
    assert isinstance(func, Function)
    drawn = random_arguments(func, 0)
    return [_tame(p.name_hint, value) for p, value in zip(func.params, drawn, strict=True)]


def _tame(name: str, value: object) -> object:
    if not isinstance(value, np.ndarray) or value.dtype.kind != "f":
        return value
    if re.search("var$|gamma$", name):
        return (1 + np.abs(value) / 10).astype(value.dtype)
    if name.endswith("weight"):
        terms = float(np.prod(value.shape[1:]))
        return (value * 2 / np.sqrt(terms)).astype(value.dtype)
    return value

"""Modules of the package that import what need not be installed."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import Final

_NEEDS: Final = {
    "relayish.frontend.onnx_backend": "onnx",
    "relayish.parallel.dask": "distributed",
    "relayish.parallel.ray": "ray",
}


def importable(names: Sequence[str]) -> list[str]:
    """Return those of the modules that can be imported here, and do nothing but be imported."""
    return [
        name
        for name in names
        if not name.endswith("__main__")
        and (name not in _NEEDS or importlib.util.find_spec(_NEEDS[name]) is not None)
    ]

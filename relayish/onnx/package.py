"""The ``onnx`` package, which is installed with the extra of that name."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from relayish.errors import PackageError


def load_onnx(module: str = "onnx") -> Any:  # Any: a module
    """Return a module of the ``onnx`` package.

    Raises:
        PackageError: If the package is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise PackageError(
            f"the package {error.name or module!r} is not installed; models of ONNX need it: "
            f"pip install 'relayish[onnx]'"
        ) from error

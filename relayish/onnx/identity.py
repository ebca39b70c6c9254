"""Identities of operators of ONNX: domain, name and version."""

from __future__ import annotations

from typing import NamedTuple


class Identity(NamedTuple):
    """Which operator of ONNX it is, and as of which version.

    Attributes:
        domain: The domain of ONNX: ``""`` for its own, ``"ai.onnx.ml"``, ``"com.microsoft"``.
        name: What nodes call it: ``"Conv"``.
        since_version: The version of the operator set of the domain that brought it as it is.
    """

    domain: str
    name: str
    since_version: int

    def __str__(self) -> str:
        where = f"{self.domain}." if self.domain else ""
        return f"{where}{self.name} (version {self.since_version})"

"""Names of operators of ONNX here: which domain they are in, and which operator a call is of."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from relayish.ir.relay.expr import Op
from relayish.onnx.identity import Identity
from relayish.onnx.operator_sets import canonical_domain

ONNX: Final = "onnx"
"""The name of the domain of ONNX's own operators."""

_ODD: Final = re.compile(
    r"[^A-Za-z0-9_.]"
    r"|_(?=u[0-9a-f]*(?:_|[^A-Za-z0-9_.]))"  # what would read as a character that is spelt
    r"|(?:^|(?<=\.))(?=[0-9.]|$)"  # a part of the name begins with no letter, or is missing
)
"""Characters that a domain here cannot have, and places where there is one too few."""
_SPELT: Final = re.compile(r"_u([0-9a-f]*)_")


def domain_of(onnx_domain: str) -> str:
    """Return the name of the domain here of a domain of ONNX; :func:`onnx_domain_of` undoes it.

    Example:
        >>> domain_of(""), domain_of("ai.onnx.ml"), domain_of("my-ops")
        ('onnx', 'onnx.ai.onnx.ml', 'onnx.my_u2d_ops')
    """
    onnx_domain = canonical_domain(onnx_domain)
    return f"{ONNX}.{_ODD.sub(_spell, onnx_domain)}" if onnx_domain else ONNX


def _spell(found: re.Match[str]) -> str:
    odd = found[0]
    return f"_u{ord(odd):x}_" if odd else "_u_"


def is_onnx_domain(domain: str) -> bool:
    """Return whether a domain here is one of ONNX's, or one that a model of ONNX brought."""
    return domain == ONNX or domain.startswith(f"{ONNX}.")


def onnx_domain_of(domain: str) -> str:
    """Return the domain of ONNX that the domain ``domain`` is made of."""
    inner = domain.removeprefix(ONNX).removeprefix(".")
    return _SPELT.sub(lambda found: chr(int(found[1], 16)) if found[1] else "", inner)


def identity_of(op: object) -> Identity | None:
    """Return which operator of ONNX ``op`` is, ``None`` if it is none.

    Complexity:
        Constant.
    """
    if type(op) is not Op or not is_onnx_domain(op.domain):
        return None
    return _identity_of(op)


@cache
def _identity_of(op: Op) -> Identity | None:
    name, _, version = op.name.rpartition("_")
    return Identity(onnx_domain_of(op.domain), name, int(version)) if version.isdigit() else None

"""Versions of operator sets that a model imports: those that mean what it calls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from relayish.errors import ModelError
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Expr
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.onnx.identity import Identity
from relayish.onnx.operator_sets import canonical_domain, identify
from relayish.onnx.operators import identity_of


def choose_opsets(roots: Iterable[Expr], told: Mapping[str, int]) -> dict[str, int]:
    """Return the version of each operator set that programs use, by domain.

    Args:
        roots: The programs.
        told: Versions that are kept as they are; of other sets it is the lowest that has all
            operators as they are called.

    Raises:
        ModelError: If no version of an operator set means all the operators that are called.

    Complexity:
        Linear in the nodes.
    """
    called = _called(roots)
    opsets, known = dict(told), {canonical_domain(name): told[name] for name in told}
    for domain, found in called.items():
        if domain in known:
            _check_all(found, known[domain])
            continue
        opsets[domain] = max(each.since_version for each in found)
        _check_all(found, opsets[domain])
    return opsets


def _called(roots: Iterable[Expr]) -> dict[str, dict[Identity, None]]:
    ops: dict[Node, None] = {}
    for root in roots:
        for node in EXPRESSIONS.post_order(root):
            if type(node) is Call:
                ops[node.op] = None
    found: dict[str, dict[Identity, None]] = {}
    for op in ops:
        identity = identity_of(op)
        if identity is not None:
            found.setdefault(identity.domain, {})[identity] = None
    return found


def _check_all(found: Iterable[Identity], version: int) -> None:
    for identity in found:
        meant = identify(identity.name, version, identity.domain)
        if meant != identity:
            raise ModelError(
                f"the module calls {identity}, and in version {version} of its operator set, which "
                f"the module has or other calls need, that name means version "
                f"{meant.since_version}; convert the module to one version: ConvertOpset"
            )

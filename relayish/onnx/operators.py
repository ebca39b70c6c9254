"""Operators of ONNX: a domain for each of its domains, an operator for each version of a schema.

An operator is told from all others by the domain of ONNX it is in, its name there, and the version
of the operator set that brought it as it is: ``Softmax`` of 1, of 11 and of 13 are three. Here that
is ``Softmax_13`` of the domain ``onnx``; those of ``ai.onnx.ml`` are in ``onnx.ai.onnx.ml``.
"""

from __future__ import annotations

from typing import Any, Final

from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.domains.domain import Domain, is_domain
from relayish.ir.relay.expr import Op
from relayish.ir.relay.op import intern_op
from relayish.onnx.calls import count_outputs, find_graphs
from relayish.onnx.evaluation import make_evaluate
from relayish.onnx.identity import Identity
from relayish.onnx.inference import has_graphs, make_relation, make_rule
from relayish.onnx.op_names import domain_of, identity_of, onnx_domain_of
from relayish.onnx.operator_sets import canonical_domain, find_schema
from relayish.onnx.package import load_onnx
from relayish.onnx.sizes import make_result_size
from relayish.op.declaration.registry import is_registered, register_op

__all__ = ["declare_all", "domain_of", "find_operator", "identity_of", "onnx_domain_of"]


def find_operator(name: str, since_version: int, domain: str = "") -> Op:
    """Return the operator ``name`` of ``domain`` as version ``since_version`` brought it.

    It is declared when it is asked for the first time. One without a schema may have any effect,
    so no pass drops, moves or repeats a call of it; nor one of an operator that draws numbers.
    """
    identity = Identity(canonical_domain(domain), name, since_version)
    op = intern_op(f"{name}_{since_version}", domain_of(identity.domain))
    if not is_registered(op):
        _declare(identity, op)
    return op


def declare_named(domain: str, name: str) -> None:
    """Declare the operator called ``name`` here, such as ``Softmax_13`` of the domain ``onnx``.

    Nothing happens where the name tells no version.
    """
    kind, _, version = name.rpartition("_")
    if kind and version.isdecimal():
        find_operator(kind, int(version), onnx_domain_of(domain))


def declare_all() -> None:
    """Declare every version of every operator that the installed package of ONNX knows.

    Programs that are read from text may name any of them.
    """
    for schema in load_onnx("onnx.defs").get_all_schemas_with_history():
        find_operator(schema.name, schema.since_version, schema.domain)


_DRAWS: Final = {
    "Bernoulli": 1, "Dropout": 12, "Multinomial": 1, "RandomNormal": 1, "RandomNormalLike": 1,
    "RandomUniform": 1, "RandomUniformLike": 1,
}  # fmt: skip
"""Operators that draw numbers, and the version from which on they may.

Schemas of old releases of ONNX do not say so, and newer ones say it of others too, such as ``If``.
A ``Dropout`` draws where an input tells it to train; before version 12 it has no such input, and
models are run for inference.
"""


def _draws(identity: Identity) -> bool:
    first = _DRAWS.get(identity.name)
    return identity.domain == "" and first is not None and identity.since_version >= first


def _dequantizes(identity: Identity) -> bool:
    return identity.domain == "" and identity.name == "DequantizeLinear"


def _declare(identity: Identity, op: Op) -> None:
    schema = find_schema(identity)
    with_graphs = has_graphs(schema)
    draws = _draws(identity)
    domain = domain_of(identity.domain)
    if not is_domain(domain):
        Domain(domain)
    register_op(
        op.name,
        arguments=("inputs",),
        variadic=True,
        domain=domain,
        description=_describe(identity, schema),
        attrs_type=DictAttrs,
        rule=None if with_graphs else make_rule(identity, schema),
        relation=make_relation(identity, schema) if with_graphs else None,
        evaluate=make_evaluate(identity, schema),
        result_size=make_result_size(op, identity),
        outputs=lambda attrs, _args: count_outputs(attrs),
        stateful=schema is None or draws,  # a second call draws other numbers
        random=draws,
        dequantizes=_dequantizes(identity),
        callees=find_graphs if with_graphs else None,
    )


def _describe(identity: Identity, schema: Any | None) -> str | None:  # Any: as above
    if schema is None:
        return f"{identity.name} of {identity.domain}, of which nothing is known."
    return f"ONNX's {identity.name}, as of version {identity.since_version}."

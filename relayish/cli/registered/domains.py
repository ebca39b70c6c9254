"""Domains as packages declare them."""

from __future__ import annotations

from typing import Final

import relayish.core
import relayish.dataflow_pattern
import relayish.op
import relayish.tir  # noqa: F401 - all four declare domains
from relayish.cli.domains import DomainDescription, OperatorDescription
from relayish.ir.domains.domain import Domain, Operator, get_domain, list_domains
from relayish.ir.domains.property import spell_properties
from relayish.ir.registration.packages import load_packages


def all_domains() -> tuple[Domain, ...]:
    """Return all domains, those of installed packages among them."""
    for _ in load_packages():
        pass
    return list_domains()


def describe_named(_kind: str, name: str) -> DomainDescription:
    """Return what there is in the domain of a name.

    Raises:
        UnknownNameError: If there is none.
    """
    return _describe(get_domain(name))


def _describe_all() -> list[DomainDescription]:
    return list(map(_describe, all_domains()))


def _describe(domain: Domain) -> DomainDescription:
    operators = sorted((*domain.operators.values(), *domain.kinds.values()))
    return {
        "name": domain.name,
        "id": domain.id,
        "operators": list(map(_describe_operator, operators)),
    }


def _describe_operator(operator: Operator) -> OperatorDescription:
    return {
        "number": operator.number,
        "name": operator.name,
        "is_node": operator.is_kind,
        "children": operator.num_children,
        "properties": spell_properties(operator.properties).split("|"),
    }


DESCRIBE: Final = {"domains": _describe_all}

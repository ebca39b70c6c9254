"""``relayish domains``: list the operators of all domains, or of one."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Final, TypedDict

from relayish._support.printable import escape
from relayish.cli.json_form import render_json
from relayish.cli.lists import describe, listed, named
from relayish.cli.report import tell
from relayish.cli.tables import Table, tell_parts


class OperatorDescription(TypedDict):
    """An operator of a domain.

    Attributes:
        number: What it is numbered in its domain.
        name: Its name there.
        is_node: Whether it is a kind of node.
        children: How many operands it has; null where that differs.
        properties: Names of its properties.
    """

    number: int
    name: str
    is_node: bool
    children: int | None
    properties: Sequence[str]


class DomainDescription(TypedDict):
    """A domain.

    Attributes:
        name: What it is called.
        id: Its number.
        operators: By number, kinds of nodes among them.
    """

    name: str
    id: int
    operators: Sequence[OperatorDescription]


RESULT: Final = list[DomainDescription]
"""What ``--json`` prints: all domains, or the one that is named."""


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    told = listed("domains") if args.name is None else [named("domains", args.name)]
    if args.json:
        tell(render_json(told))
        return 0
    tell_parts(map(table_of, told))
    return 0


def render_domains() -> str:
    """Return the tables of all domains as text."""
    return "\n".join([str(table_of(domain)) for domain in describe("domains")])


def table_of(domain: DomainDescription) -> Table:
    """Return a row for each operator of a domain, by number.

    The children of an operator are ``*`` where their number differs. A kind of node is marked
    ``node``, for an operator of the domain may have the same name.

    Source:
        AIR ``META_INFO::Print``.
    """
    rows = [
        (
            str(each["number"]),
            f"{escape(each['name'])} (node)" if each["is_node"] else escape(each["name"]),
            "*" if each["children"] is None else str(each["children"]),
            " ".join(each["properties"]),
        )
        for each in domain["operators"]
    ]
    title = f"domain {escape(domain['name'])}, id {domain['id']}"
    return Table(("NUMBER", "NAME", "CHILDREN", "PROPERTIES"), rows, (0, 2), title)

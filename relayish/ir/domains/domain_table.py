"""The table of domains: what is known of every operator of each."""

from __future__ import annotations

from collections.abc import Iterable

from relayish._support.printable import escape
from relayish.ir.domains.domain import Domain, Operator, list_domains
from relayish.ir.domains.property import spell_properties


def domain_table(domains: Iterable[Domain] | None = None) -> str:
    """Return a table of the operators of ``domains``, by default of all, by number.

    The children of an operator are ``*`` where their number differs. A kind of node is marked
    ``node``, for an operator of the domain may have the same name. A name that cannot be shown as
    it is, such as one with a line break, stands in quotes.

    Source:
        AIR ``META_INFO::Print``.

    Example:
        >>> from relayish.ir.domains.domain import Domain, remove_domain
        >>> from relayish.ir.domains.property import Property
        >>> lattices = Domain("lattices", 900)
        >>> join = lattices.add("join", None, 2, Property.EXPR | Property.COMMUTATIVE)
        >>> bottom = lattices.add("bottom", None, 0, Property.EXPR | Property.LEAF)
        >>> print(domain_table([lattices]), end="")
        domain lattices, id 900
          0  join    2  EXPR COMMUTATIVE
          1  bottom  0  LEAF EXPR
        >>> remove_domain("lattices")
    """
    parts = [_table_of(domain) for domain in (list_domains() if domains is None else domains)]
    return "\n".join(parts)


def _table_of(domain: Domain) -> str:
    operators = sorted((*domain.operators.values(), *domain.kinds.values()))
    rows = [_row(operator) for operator in operators]
    widths = [max([len(row[column]) for row in rows], default=0) for column in range(3)]
    lines = [f"domain {escape(domain.name)}, id {domain.id}"]
    for number, name, children, properties in rows:
        line = (number.rjust(widths[0]), name.ljust(widths[1]), children.rjust(widths[2]))
        lines.append(f"  {'  '.join((*line, properties))}".rstrip())
    return "\n".join(lines) + "\n"


def _row(operator: Operator) -> tuple[str, str, str, str]:
    count = operator.num_children
    name = escape(operator.name)
    return (
        str(operator.number),
        f"{name} (node)" if operator.is_kind else name,
        "*" if count is None else str(count),
        spell_properties(operator.properties).replace("|", " "),
    )

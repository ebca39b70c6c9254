"""Domains of calls: where each operator stands among those of all languages.

Relay's families are domains. They come to be with their first operators; a package may declare the
domain that its family is, before or after.
"""

from __future__ import annotations

from functools import partial

from relayish.errors import DuplicateNameError
from relayish.ir.domains.domain import domain_of_family, get_domain, is_domain
from relayish.ir.relay.expr import Op
from relayish.ir.relay.op import family_of, intern_op
from relayish.op.declaration import properties
from relayish.op.declaration.operator_properties import properties_of_op


def check_place(op: Op) -> None:
    """Refuse ``op``, which is not declared yet, where another is what it would be in its domain.

    Raises:
        DuplicateNameError: If the domain has an operator of that name, ``nn::relu`` as well as
            ``nn.relu``.
    """
    domain, name = family_of(op)
    if not is_domain(domain) or name not in get_domain(domain).operators:
        return
    like = (intern_op(name, domain), intern_op(f"{domain}.{name}"))
    others = [repr(each.full_name) for each in like if each in properties.arguments]
    raise DuplicateNameError(
        f"operator {op.full_name!r} would be {name!r} of domain {domain}, as "
        f"{others[0] if others else 'one that was added to it'} is; choose another name"
    )


def enter_domain(op: Op) -> None:
    """Enter ``op`` in the domain of its calls, which is declared if it is not there yet.

    Raises:
        DuplicateNameError: If a package has taken the domain of a family of relayish.
    """
    domain, name = family_of(op)
    count = properties.num_inputs.get(op)
    domain_of_family(domain).add(name, None, count, partial(properties_of_op, op))


def leave_domain(op: Op) -> None:
    """Take ``op`` out of the domain of its calls."""
    domain, name = family_of(op)
    if is_domain(domain):
        get_domain(domain).remove(name)

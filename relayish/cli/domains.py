"""``relayish domains``: list the operators of all domains, or of one."""

from __future__ import annotations

import argparse

import relayish.core
import relayish.op
import relayish.tir  # noqa: F401 - all three declare domains
from relayish.cli.report import tell
from relayish.ir.domains.domain import get_domain
from relayish.ir.domains.domain_table import domain_table
from relayish.ir.registration.packages import load_packages


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    if args.name is not None:
        tell(domain_table([get_domain(args.name)]))
        return 0
    tell(render_domains())
    return 0


def render_domains() -> str:
    """Return the table of all domains, those of installed packages among them."""
    for _ in load_packages():
        pass
    return domain_table()

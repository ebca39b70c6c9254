"""The verifier of core: what a program has to be, every rule of it."""

import relayish.core.verifier.expressions
import relayish.core.verifier.memory
import relayish.core.verifier.statements  # noqa: F401 - these register the rules of kinds
from relayish.core.verifier.programs import check, verify
from relayish.core.verifier.rule import Rule
from relayish.ir.verification.rules import VERIFY_RULES, Violation

__all__ = ["VERIFY_RULES", "Rule", "Violation", "check", "verify"]

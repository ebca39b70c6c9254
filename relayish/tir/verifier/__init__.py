"""The verifier of the loop IR: what a program has to be, every rule of it."""

import relayish.tir.verifier.accesses
import relayish.tir.verifier.expressions
import relayish.tir.verifier.functions
import relayish.tir.verifier.intrinsics
import relayish.tir.verifier.memory
import relayish.tir.verifier.statements  # noqa: F401 - these register the rules of kinds
from relayish.ir.verification.rules import VERIFY_RULES, Violation
from relayish.tir.verifier.programs import check, verify
from relayish.tir.verifier.violation import Rule

__all__ = ["VERIFY_RULES", "Rule", "Violation", "check", "verify"]

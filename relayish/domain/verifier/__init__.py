"""The verifier of programs of all domains: rules of all languages, and handlers of each domain."""

from relayish.domain.verifier.rules import Rule
from relayish.domain.verifier.verify import VerifyCtx, check, verify

__all__ = ["Rule", "VerifyCtx", "check", "verify"]

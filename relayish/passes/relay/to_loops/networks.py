"""Networks as loops: the operators that ``Lower`` did not write by those of Relay's core."""

from __future__ import annotations

from typing import ClassVar

from relayish.domain import register_handler
from relayish.passes.relay.lowering.nn.handler import LowerNN
from relayish.passes.relay.to_loops.refusing import Refusing


@register_handler("loops")
class NetworksToLoops(Refusing, domain="nn"):
    """Refuses operators of networks, for the reasons that lowering has."""

    reasons: ClassVar[dict[str, str]] = LowerNN.inexpressible
    otherwise = "Lower could not write it by others; Lower(unlowerable='refuse') says why"


@register_handler("loops")
class QuantisedToLoops(Refusing, domain="qnn"):
    """Refuses quantised operators, which others stand for where their scales are constants."""

    otherwise = "its scales are known when it runs only, or it simulates; QnnCanonicalizeOps first"

"""Members of all nodes, under the names of ``tvm.relay.base``."""

from __future__ import annotations

from relayish._support.absent import set_finder
from relayish.ir.node import Node
from relayish.ir.span import Span
from relayish.text import astext

__all__ = ["Node", "Span", "astext"]

set_finder(__name__)

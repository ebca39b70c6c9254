"""What all nodes share, under the names of ``tvm.relay.base``."""

from __future__ import annotations

from relayish._support.absent import names_of
from relayish.ir.node import Node
from relayish.ir.span import Span
from relayish.text import astext

__all__ = ["Node", "Span", "astext"]

__getattr__ = names_of(__name__)

"""Facts of programs of ONNX: types, known values, shapes that are computed.

``facts`` walks a program, ``calls`` tells the results of one node: by ONNX's inference, by what
``shapes`` and ``elements`` know of values of which only parts are known, by ``moves`` of elements,
and by the node's kernel where all is known. ``fact`` is what is known of a value, ``sizes`` makes
expressions of dimensions.
"""

from relayish.onnx.propagation.fact import Fact, Partial
from relayish.onnx.propagation.facts import Facts, propagate

__all__ = ["Fact", "Facts", "Partial", "propagate"]

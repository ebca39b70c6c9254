"""The operators on quantised numbers; ``op.qnn.quantize(x, scale, zero_point, …)`` builds a call.

A real number ``r`` is stored as the integer ``q`` for which ``r = scale * (q - zero_point)``. Scale
and zero point are scalars, or vectors along one axis. What the operators compute is what Relay's
lowering of them to plain operators computes: integers, but for the functions that are tables.
"""

from __future__ import annotations

from relayish._support import hooks
from relayish._support.import_modules import import_modules
from relayish.op.builders.builder import namespace
from relayish.op.declaration.rewriting import register_qnn_legalize
from relayish.op.qnn import configuration

import_modules(__name__)

__getattr__, __dir__ = namespace("qnn")

hooks.members["qnn.requantize_config"] = lambda: configuration.requantize_config
hooks.members["qnn.register_qnn_legalize"] = lambda: register_qnn_legalize

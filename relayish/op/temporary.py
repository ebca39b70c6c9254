"""Operators may be declared for a while: see ``declared_temporarily``.

Imported after all operators of the library, which stay.
"""

from __future__ import annotations

from relayish.ir.declarations import watch_declarations, watch_table
from relayish.op.builders import _MADE
from relayish.op.gradient.register import _LEVELS as _GRADIENT_LEVELS
from relayish.op.mixed_precision import _LEVELS as _CONVERSION_LEVELS
from relayish.op.registry import watch_operators

watch_declarations(watch_operators)
watch_table(_MADE)
watch_table(_GRADIENT_LEVELS)
watch_table(_CONVERSION_LEVELS)

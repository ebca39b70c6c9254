"""Operators may be declared for a while: see ``declared_temporarily``.

Imported after all operators of the library, which stay.
"""

from __future__ import annotations

from typing import Final

import relayish.op.builders.gradient
import relayish.op.declaration.mixed_precision  # noqa: F401 - what both register stays
from relayish.ir.registration.declarations import watch_declarations, watch_table
from relayish.op.builders.builder import _BY_HAND, _MADE, Namespace
from relayish.op.declaration.registry import watch_operators

watch_declarations(watch_operators)
watch_table(_MADE)
watch_table(_BY_HAND)

LASTING: Final = frozenset(dir(Namespace("")))
"""The names of operators, and of families of these, that the library itself declares."""

"""Core in binary form: types, which stand in many fields, as their texts."""

from __future__ import annotations

from relayish.binary import register_value
from relayish.core.ir.type import Type, as_type

register_value(Type, "core.Type", lambda given: (str(given),), as_type)

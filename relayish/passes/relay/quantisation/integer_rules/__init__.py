"""Rules of fake quantisation for Relay's operators, by what they do with the numbers.

Importing this package registers them.
"""

from relayish.passes.relay.quantisation.integer_rules import (
    arithmetic,
    averages,
    conversion,
    limits,
    movement,
    products,
    tables,
)

__all__ = [
    "arithmetic",
    "averages",
    "conversion",
    "limits",
    "movement",
    "products",
    "tables",
]

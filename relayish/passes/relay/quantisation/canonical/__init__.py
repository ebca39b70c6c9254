"""Canonical forms of quantised operators: plain operators that compute the very same integers.

Importing this package registers them. Scales must be constants, for integers are multiplied by a
fraction and shifted, both of which are worked out here.
"""

from relayish.passes.relay.quantisation.canonical import arithmetic, conversion, functions, products

__all__ = ["arithmetic", "conversion", "functions", "products"]

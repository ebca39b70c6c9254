"""Canonical forms of quantised operators: plain operators that compute the very same integers.

Importing this package registers them. Scales must be constants, for integers are multiplied by a
fraction and shifted, both of which are worked out here.
"""

from relayish._support.import_modules import import_modules

import_modules(__name__)

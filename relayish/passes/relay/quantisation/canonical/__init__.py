"""Canonical forms of quantised operators: plain operators that compute the very same integers.

Importing this package registers them. Integers are multiplied by a fraction and shifted, both of
which are worked out here where scales are constants, and by operators where they are not.
"""

from relayish._support.import_modules import import_modules

import_modules(__name__)

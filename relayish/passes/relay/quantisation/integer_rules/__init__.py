"""Rules of fake quantisation for Relay's operators, by what they do with the numbers.

Importing this package registers them.
"""

from relayish._support.import_modules import import_modules

import_modules(__name__)

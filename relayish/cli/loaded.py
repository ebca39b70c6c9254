"""The package of modules that files of users are; see :mod:`relayish.cli.loading`.

It holds nothing that anybody uses: its modules may have any name, and are attributes of it.
"""

from __future__ import annotations

import sys

from relayish.cli.loading import Finder

__path__: list[str] = []

sys.meta_path.append(Finder())

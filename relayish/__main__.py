"""``python -m relayish``: the same as the ``relayish`` command."""

from __future__ import annotations

import sys

from relayish.cli.main import main

sys.exit(main())

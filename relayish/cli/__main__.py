"""``python -m relayish.cli``: the same as the ``relayish`` command."""

from __future__ import annotations

from relayish.cli.main import run_process

run_process()

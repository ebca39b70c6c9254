"""Random programs and what must hold of every pass come from the tests of relayish."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

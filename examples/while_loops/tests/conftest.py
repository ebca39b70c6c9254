"""Random programs and what must hold of every pass come from the tests of relayish."""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[3] / "tests"

sys.path[:0] = [str(TESTS), str(TESTS / "passes"), str(Path(__file__).parent)]

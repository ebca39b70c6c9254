"""What several tests share is importable by name from every test."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent

sys.path[:0] = [str(HERE), str(HERE / "op")]

"""Scalars of numpy as the numpy that is installed writes them: ``np.int32(1)``, before 2 ``1``."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

PLAIN: Final = np.lib.NumpyVersion(np.__version__) < "2.0.0"
SCALAR: Final = re.compile(r"np\.(?:u?int|float|complex|bool)\d*\(([^()]*)\)|np\.(True|False)_")


def as_numpy_writes(text: str) -> str:
    """Return a text that shows scalars as numpy 2 does as the numpy that is installed does."""
    return SCALAR.sub(lambda found: found[1] or found[2], text) if PLAIN else text

from __future__ import annotations

import mini
from declared import known_in_tests

_mini = known_in_tests(mini.DECLARED)

from __future__ import annotations

from tests.support import mini
from tests.support.declared import known_in_tests

_mini = known_in_tests(mini.DECLARED)

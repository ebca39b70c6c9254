"""References and collection: nothing is kept that pure Python would not keep."""

from __future__ import annotations

from tests.support.kernel_counts import grown


def test_no_entry_keeps_anything_of_what_it_was_given_or_made():
    assert grown(150) == []

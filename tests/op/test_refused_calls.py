"""Whether calls that are ill typed are refused, and whether what is wrong is named."""

from __future__ import annotations

import pytest

from relayish.errors import TypeInferenceError
from tests.support.checking import inferred
from tests.support.each import each
from tests.support.sound_calls import refused_calls


@each(("name", "types", "attrs", "message"), refused_calls())
def test_ill_typed_call_is_told_what_is_wrong(name, types, attrs, message):
    with pytest.raises(TypeInferenceError) as caught:
        inferred(name, attrs, *types)
    assert str(caught.value) == message

from __future__ import annotations

import pytest

from relayish.errors import DeclarationError
from relayish.pass_infra.base.info import short_name
from relayish.transform import PassInfo


def test_info_keeps_required_as_a_tuple() -> None:
    assert PassInfo("P", 1, ["A", "B"]).required == ("A", "B")


@pytest.mark.parametrize("name", ["", None, 3])
def test_info_refuses_a_name_that_is_none(name: object) -> None:
    with pytest.raises(DeclarationError, match="a pass needs a name"):
        PassInfo(name, 1)


@pytest.mark.parametrize("level", [-1, 1.0, True, "2", None])
def test_info_refuses_a_level_that_is_no_whole_number(level: object) -> None:
    with pytest.raises(DeclarationError, match="opt_level of pass P must be a whole number"):
        PassInfo("P", level)


def test_info_refuses_a_single_str_as_required() -> None:
    with pytest.raises(DeclarationError, match=r"write \('InferType',\)"):
        PassInfo("P", 1, "InferType")


@pytest.mark.parametrize("item", ["", 3])
def test_info_refuses_a_requirement_that_is_no_name(item: object) -> None:
    with pytest.raises(DeclarationError, match="must hold names of passes"):
        PassInfo("P", 1, [item])


def test_short_name_takes_off_the_global_prefix_only() -> None:
    assert short_name("relayish.pass_.X") == "X"
    assert short_name("other.X") == "other.X"

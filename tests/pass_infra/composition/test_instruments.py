from __future__ import annotations

import pytest

from relayish.errors import DeclarationError, DuplicateNameError, PipelineError, UnknownNameError
from relayish.pass_infra.composition.instruments import INSTRUMENTS, InstrumentRegistry
from relayish.transform import (
    PassInstrument,
    list_instruments,
    parse_instruments,
    register_instrument,
)
from tests.support.each import each

pytestmark = pytest.mark.usefixtures("declarations")


class Mine(PassInstrument):
    """Watch."""

    def __init__(self, *, often: int = 1, names: tuple[str, ...] = ()) -> None:
        self.often = often
        self.names = names


def make_mine() -> Mine:
    return Mine()


def test_class_is_made_by_its_name_in_any_case_with_its_options() -> None:
    assert register_instrument()(Mine) is Mine
    (made, again) = parse_instruments("mine{often=3, names=[a, b]},MINE")
    assert isinstance(made, Mine)
    assert (made.often, made.names) == (3, ("a", "b"))
    assert isinstance(again, Mine)
    assert again is not parse_instruments("Mine")[0]
    assert INSTRUMENTS.get("mine").description == "Watch."


def test_class_without_a_constructor_has_no_options() -> None:
    class Bare(PassInstrument):
        pass

    register_instrument("Bare", description="So.")(Bare)
    assert INSTRUMENTS.get("bare").options == ()
    assert INSTRUMENTS.get("bare").description == "So."


def test_list_is_sorted_and_has_those_of_the_library() -> None:
    names = list_instruments()
    assert list(names) == sorted(names)
    assert {"Diff", "Dump", "PrintAfter", "Timing", "Verify"} <= set(names)


def test_unknown_name_is_told_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"no instrument 'timng'.*did you mean Timing"):
        parse_instruments("timng")


def test_unknown_option_is_told_with_its_place() -> None:
    register_instrument()(Mine)
    with pytest.raises(PipelineError, match=r"instrument Mine .*'oftn'.*column 6"):
        parse_instruments("mine{oftn=1}")


def test_name_is_claimed_once_whatever_its_case() -> None:
    register_instrument()(Mine)
    with pytest.raises(DuplicateNameError, match="the name m_ine of an instrument is claimed by"):
        register_instrument("m_ine")(make_mine)
    register_instrument("m_ine", replace=True)(Mine)


def test_registry_of_its_own_holds_its_own() -> None:
    names = InstrumentRegistry()
    register_instrument(registry=names)(Mine)
    assert [entry.name for entry in names.entries()] == ["Mine"]
    assert INSTRUMENTS.find("mine") is None


def test_function_must_return_an_instrument() -> None:
    register_instrument("Nothing")(lambda: None)
    with pytest.raises(DeclarationError, match="must return a PassInstrument; found None"):
        parse_instruments("nothing")


@each(
    ("name", "made", "told"),
    [
        ("a-b", Mine, "an instrument needs a name"),
        ("", Mine, "an instrument needs a name"),
        (Mine, Mine, "an instrument needs a name"),
        (None, dict, "takes a class of instruments"),
        (None, make_mine, "the name and a function"),
        ("Mine", 7, "found 7"),
        ("Mine", lambda often: Mine(often=often), "'often' of instrument"),
    ],
)
def test_what_is_no_instrument_is_refused(name: object, made: object, told: str) -> None:
    with pytest.raises(DeclarationError, match=told):
        register_instrument(name)(made)

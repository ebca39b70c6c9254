"""Names that go: found under those that took their place, with a warning, until their release."""

from __future__ import annotations

import importlib
import warnings
from types import ModuleType

import pytest

import relayish as relay
from relayish import transform
from relayish._support.retired import RETIRED, Retired

OLD = {
    "free_variables": "analysis.free_vars",
    "analysis.free_variables": "analysis.free_vars",
    "tir.Loop": "tir.For",
    "transform.un_cps_all": "transform.un_cps",
    "transform.FoldConstants": "transform.FoldConstant",
}


PACKAGES = [
    name
    for name in relay.__all__
    if isinstance(getattr(relay, name), ModuleType) and name != "tvm"  # has those of relayish
]


@pytest.fixture(autouse=True)
def _retire(monkeypatch: pytest.MonkeyPatch) -> None:
    for old, now in OLD.items():
        monkeypatch.setitem(RETIRED, old, Retired(now, "9.5.0"))


def find(path: str) -> object:
    module, _, name = f"relayish.{path}".rpartition(".")
    return getattr(importlib.import_module(module), name)


@pytest.mark.parametrize(("old", "now"), OLD.items())
def test_retired_name_is_what_took_its_place(old, now):
    told = f"^relayish.{old} goes in relayish 9.5.0; write relayish.{now}$"
    with pytest.warns(DeprecationWarning, match=told):
        found = find(old)
    assert found is find(now)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_finds_what_it_retired(package, monkeypatch):
    monkeypatch.setitem(RETIRED, f"{package}.was_here", Retired("analysis.free_vars", "9.5.0"))
    module = getattr(relay, package)
    with pytest.warns(DeprecationWarning, match=f"{package}.was_here goes in relayish 9.5.0"):
        found = module.was_here
    assert found is relay.analysis.free_vars
    vars(module).pop("was_here", None)
    with pytest.raises(AttributeError, match="was_there"):
        _ = module.was_there


def test_warning_stands_where_the_name_does():
    with pytest.warns(DeprecationWarning, match="free_vars") as told:
        _ = relay.analysis.free_variables
    assert [warning.filename for warning in told] == [__file__]


def test_import_of_a_retired_name_warns_where_it_stands():
    with pytest.warns(DeprecationWarning, match="tir.For") as told:
        from relayish.tir import Loop  # noqa: PLC0415 - what is tested
    assert Loop is relay.tir.For
    assert {warning.filename for warning in told} == {__file__}


def test_names_of_relay_as_tvm_has_it_are_retired_with_those_of_the_library(monkeypatch):
    from_tvm = importlib.import_module("relayish.tvm")
    with pytest.warns(DeprecationWarning, match="write relayish.analysis.free_vars"):
        assert from_tvm.free_variables is relay.analysis.free_vars
    monkeypatch.delitem(vars(from_tvm), "free_variables")


def test_pipeline_finds_a_retired_pass():
    with pytest.warns(DeprecationWarning, match="write relayish.transform.FoldConstant"):
        pipeline = transform.parse_pipeline("FoldConstants{fold_qnn=true}")
    assert pipeline.passes[0].info.name == "FoldConstant"


def test_context_leaves_a_pass_out_by_its_retired_name():
    with pytest.warns(DeprecationWarning, match="write relayish.transform.FoldConstant"):
        context = transform.PassContext(disabled_pass=["FoldConstants"])
    assert context.disabled_pass == ("FoldConstant",)


def test_retired_names_are_not_listed():
    assert "free_variables" not in {*dir(relay.analysis), *relay.analysis.__all__}
    assert "FoldConstants" not in transform.list_passes()


def test_other_names_do_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert relay.analysis.free_vars
        with pytest.raises(AttributeError, match="did you mean free_vars"):
            _ = relay.analysis.free_var


def is_there(path: str) -> bool:
    try:
        find(path)
    except DeprecationWarning:
        return False
    return True


def test_name_that_is_retired_and_still_there_is_told(monkeypatch):
    monkeypatch.setitem(RETIRED, "analysis.free_vars", Retired("analysis.all_vars", "9.5.0"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert is_there("analysis.free_vars")
        assert not is_there("analysis.free_variables")


def numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def test_names_of_the_library_go_in_a_release_to_come(monkeypatch):
    monkeypatch.undo()
    for old, (now, _) in RETIRED.items():
        told = f"write relayish.{now}$"  # else its module lacks set_finder(__name__)
        with pytest.warns(DeprecationWarning, match=told):
            assert find(old) is find(now)
    overdue = [
        old for old, (_, goes) in RETIRED.items() if numbers(goes) <= numbers(relay.__version__)
    ]
    assert overdue == []
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a name that is there is found without a warning
        assert [old for old in RETIRED if is_there(old)] == []

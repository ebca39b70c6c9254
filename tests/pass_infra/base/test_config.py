from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from relayish.errors import ConfigError, DuplicateNameError, PipelineError
from relayish.pass_infra.base import config as configuration
from relayish.pass_infra.base.config import read_config
from relayish.transform import PassContext, list_configs, register_config_option


@pytest.fixture(autouse=True)
def options() -> Iterator[None]:
    register_config_option("test.depth", int, 256, "how deep")
    register_config_option("test.names", tuple[str, ...], (), "which")
    register_config_option("test.limit", int | None, None, "how many")
    register_config_option("test.scale", float, 1.0, "how much")
    yield
    for name in [name for name in configuration._OPTIONS if name.startswith("test.")]:
        del configuration._OPTIONS[name]  # not those of passes that were imported meanwhile


def test_option_not_set_reads_as_its_default() -> None:
    assert PassContext().get_config("test.depth") == 256


def test_option_reads_as_it_was_set() -> None:
    ctx = PassContext(config={"test.depth": 3})
    assert ctx.get_config("test.depth") == 3
    assert ctx.config.get("test.depth") == 3


def test_option_set_to_none_is_not_the_default() -> None:
    register_config_option("test.maybe", int | None, 3, "perhaps")
    assert PassContext(config={"test.maybe": None}).get_config("test.maybe") is None


def test_config_is_a_persistent_map_apart_from_what_was_given() -> None:
    given: dict[str, Any] = {"test.depth": 3}
    ctx = PassContext(config=given)
    given["test.depth"] = 4
    assert ctx.config["test.depth"] == 3
    assert type(ctx.config).__name__ == "PMap"


def test_unknown_option_lists_the_candidates() -> None:
    with pytest.raises(ConfigError, match=r"did you mean test\.depth\?.*there are .*test\.limit"):
        PassContext(config={"test.dept": 3})


def test_unknown_option_cannot_be_read() -> None:
    with pytest.raises(ConfigError, match="no config option 'nothing'"):
        PassContext().get_config("nothing")


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("test.depth", "3", "expected int; found '3'"),
        ("test.depth", True, "expected int; found True"),
        ("test.depth", 1.5, "expected int; found 1.5"),
        ("test.names", "ab", r"expected tuple\[str, \.\.\.\]; found 'ab'"),
        ("test.names", ["a", 1], "expected str; found 1"),
        ("test.limit", "x", r"expected int \| None; found 'x'"),
        ("relayish.disable_gc", 1, "expected bool; found 1"),
    ],
)
def test_value_of_the_wrong_type_names_the_option(name: str, value: object, expected: str) -> None:
    with pytest.raises(ConfigError, match=f"config option '{name}': {expected}"):
        PassContext(config={name: value})


def test_value_is_converted_where_nothing_is_lost() -> None:
    ctx = PassContext(config={"test.names": ["a", "b"], "test.scale": 2})
    assert ctx.get_config("test.names") == ("a", "b")
    assert type(ctx.get_config("test.scale")) is float


def test_listing_tells_type_default_and_description() -> None:
    assert list_configs()["test.limit"] == {
        "type": "int | None",
        "default": None,
        "description": "how many",
    }
    assert PassContext.list_configs() == list_configs()


def test_option_registered_twice_is_an_error() -> None:
    with pytest.raises(DuplicateNameError, match=r"'test\.depth' is registered already"):
        register_config_option("test.depth", int, 1, "again")
    assert PassContext().get_config("test.depth") == 256


def test_default_of_the_wrong_type_is_an_error() -> None:
    with pytest.raises(ConfigError, match=r"'test\.other': expected int; found 'x'"):
        register_config_option("test.other", int, "x", "bad")


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("test.depth", "-3", -3),
        ("test.names", "(a, 'b c')", ("a", "b c")),
        ("test.limit", "none", None),
        ("test.limit", "7", 7),
        ("relayish.disable_gc", "true", True),
    ],
)
def test_text_is_read_by_the_type_of_the_option(name: str, text: str, value: object) -> None:
    assert read_config(name, text) == value


def test_text_of_the_wrong_type_names_the_option() -> None:
    with pytest.raises(ConfigError, match=r"config option 'test\.depth': expected int; found 'x'"):
        read_config("test.depth", "x")


@pytest.mark.parametrize("text", ["", "1 2", "(1", "=", "'a"])
def test_text_that_is_no_value_points_at_the_place(text: str) -> None:
    with pytest.raises(PipelineError, match=r"column \d"):
        read_config("test.depth", text)


def test_options_of_passes_are_known_before_their_modules_are_imported() -> None:
    name = "relay.ToMixedPrecision.keep_orig_output_dtype"
    program = (
        "from relayish.transform import PassContext\n"
        f"assert PassContext(config={{{name!r}: True}}).get_config({name!r}) is True"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    assert name in list_configs()


@pytest.mark.slow("a process that imports every pass")
def test_unknown_option_is_told_with_those_of_passes_not_imported_yet() -> None:
    asked = "from relayish.transform import PassContext; PassContext(config={'foo': 1})"
    done = subprocess.run(
        [sys.executable, "-c", asked], capture_output=True, text=True, check=False
    )
    assert "relay.FuseOps.max_depth" in done.stderr

from __future__ import annotations

import pytest

from relayish.cli.report import (
    Verbosity,
    describe_error,
    tell,
    tell_error,
    tell_note,
    tell_step,
    telling,
    verbosity,
)
from relayish.errors import ParseError, PassError, UnknownNameError


def test_error_of_ours_is_its_message_and_notes() -> None:
    error = PassError("found this")
    error.add_note("in pass P")
    assert describe_error(error) == "found this\n  in pass P"


def test_key_error_of_ours_is_not_quoted() -> None:
    assert describe_error(UnknownNameError("no such pass")) == "no such pass"


def test_parse_error_shows_place_and_line() -> None:
    error = ParseError("expected a type", ("m.relay", 3, 5, "def x\n"))
    assert describe_error(error) == "m.relay:3:5: expected a type\n    def x\n        ^"


def test_parse_error_whose_message_has_the_place_does_not_say_it_twice() -> None:
    error = ParseError("m.relay:3:5: expected a type", ("m.relay", 3, 5, "def x"))
    assert describe_error(error).startswith("m.relay:3:5: expected a type\n    def x")


def test_parse_error_whose_message_shows_the_line_does_not_show_it_twice() -> None:
    error = ParseError("expected a type\n  def x\n    ^", ("m.relay", 3, 5, "def x"))
    assert describe_error(error) == "m.relay:3:5: expected a type\n  def x\n    ^"


def test_parse_error_without_line_or_place_is_its_message() -> None:
    assert describe_error(ParseError("not text")) == "not text"
    error = ParseError("bad", ("m.relay", 3, None, None))
    assert describe_error(error) == "m.relay:3:1: bad"


def test_operating_system_error_names_the_file() -> None:
    assert describe_error(FileNotFoundError(2, "No such file", "x")) == "x: No such file"
    assert describe_error(OSError(28, "No space")) == "No space"
    assert describe_error(OSError("odd")) == "OSError: odd"


def test_unforeseen_error_names_its_class_and_what_to_do() -> None:
    error = ZeroDivisionError("division by zero")
    error.add_note("in pass P")
    assert describe_error(error) == (
        "ZeroDivisionError: division by zero\n  in pass P\n"
        "  this was not foreseen; --traceback shows where it was raised"
    )


def test_notes_and_steps_are_told_as_loudly_as_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    told = {}
    for wanted in Verbosity:
        with telling(wanted):
            tell("result\n")
            tell_error("error\n")
            tell_note("a\x1b[31m")
            tell_step("b")
        told[wanted] = capsys.readouterr()
    assert {each.out for each in told.values()} == {"result\n"}
    assert told[Verbosity.QUIET].err == "error\n"
    assert told[Verbosity.USUAL].err == "error\nrelayish: note: a\\x1b[31m\n"
    assert told[Verbosity.VERBOSE].err == f"{told[Verbosity.USUAL].err}relayish: b\n"
    assert verbosity() is Verbosity.USUAL

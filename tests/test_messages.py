"""What errors, and whatever else shows text to people, do with hostile names and long ones."""

from __future__ import annotations

import difflib
import pickle
import traceback
import warnings
from typing import Any

import pytest

from relayish import errors
from relayish._support.printable import (
    LONGEST,
    LONGEST_LINE,
    LONGEST_WORD,
    escape,
    message_text,
    point_at,
)
from relayish.analysis.infer_type import infer_type
from relayish.analysis.well_formed import check_well_formed
from relayish.codegen.python import to_python
from relayish.errors import (
    BinaryFormatError,
    Diagnostic,
    IgnoredNameWarning,
    MissingImportError,
    ParseError,
    RelayishError,
    add_note,
    notes_of,
    suggest,
)
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.kinds.one_line import describe, quote
from relayish.ir.modules.module import Module
from relayish.ir.nodes.span import Span
from relayish.ir.nodes.traversal import EVERYTHING
from relayish.ir.relay.expr import Call, Function, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.type import TensorType
from relayish.text import astext, parse
from relayish.text.literals import quote as quote_text
from relayish.text.literals import unquote
from tests.support.core_programs import random_core_program
from tests.support.each import each
from tests.support.hostile import HOSTILE, unprintable, with_hostile_names
from tests.support.loop_programs import random_loop_module
from tests.support.random_exprs import random_module
from tests.support.seeds import seeds
from tests.support.tir_programs import random_func

HUGE = "n" * 1_000_000

ERRORS = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, (RelayishError, IgnoredNameWarning))
]


@each("kind", ERRORS)
def test_message_of_every_error_is_printable_and_bounded(kind: type[Exception]) -> None:
    error = kind(f"found {HOSTILE} and {HUGE}; write less")
    for again in (error, pickle.loads(pickle.dumps(error))):
        assert unprintable(str(again)) == []
        assert str(again).startswith("found x\\x1b]0;t\\x07")
        assert str(again).endswith("; write less")
        assert len(str(again)) <= LONGEST
        again.add_note(HOSTILE + HUGE)
        add_note(again, HOSTILE + HUGE)
        told = "".join(traceback.format_exception(again))
        assert unprintable(told) == []
        assert len(told) <= 3 * LONGEST


def test_names_that_errors_carry_are_as_they_were() -> None:
    error = MissingImportError(HOSTILE, name=HOSTILE)
    assert error.name == HOSTILE
    damaged = BinaryFormatError("damaged")
    damaged.path = HOSTILE
    assert unprintable(str(damaged)) == []


def test_note_on_an_error_of_others_is_printable() -> None:
    error = ValueError()
    add_note(error, HOSTILE)
    assert notes_of(error) == [escape(HOSTILE).replace("\\n", "\n").replace("\\t", "\t")]


def test_diagnostic_is_printable_and_bounded() -> None:
    told = str(Diagnostic(HOSTILE + HUGE, Span(HOSTILE, 1, 1, 1, 2), f"@{HOSTILE}"))
    assert unprintable(told) == []
    assert len(told) <= LONGEST


def test_short_message_is_the_same_object() -> None:
    text = "x" * LONGEST_WORD + " y" * ((LONGEST_LINE - LONGEST_WORD) // 2)
    assert message_text(text) is text


@each(
    "text",
    [
        "x" * (LONGEST_WORD + 1),
        "x " * LONGEST_LINE,
        "x\n" * LONGEST,
        "\0" * LONGEST_WORD,
        "\0 " * LONGEST_LINE,
        "\0\n" * LONGEST,
    ],
)
def test_long_message_is_cut_once(text: str) -> None:
    shown = message_text(text)
    assert message_text(shown) == shown
    assert len(shown) <= LONGEST
    assert max(map(len, shown.split("\n"))) <= LONGEST_LINE
    assert " more) ... " in shown


def test_what_stands_around_a_long_name_is_shown() -> None:
    assert message_text(f"{HUGE} is no name; {HUGE} is one").count("; ") == 1
    assert " is no name; " in message_text(f"{HUGE} is no name; {HUGE} is one")


def test_every_line_of_a_long_message_is_there() -> None:
    lines = ["x " * (LONGEST_LINE // 2)] * 3
    assert message_text("\n".join(lines)) == "\n".join(lines)


@each(
    ("line", "start", "width", "shown", "below"),
    [
        ("abc", 1, 1, "abc", " ^"),
        ("abc", 3, 1, "abc", "   ^"),
        ("abc", 1, 9, "abc", " ^^"),
        ("a\0bc", 2, 2, "a\\x00bc", "     ^^"),
        ("a\0c", 1, 1, "a\\x00c", " ^^^^"),
        ("\ta", 1, 1, " a", " ^"),
        ("x" * 160, 159, 1, "x" * 160, " " * 159 + "^"),
        ("x" * 161, 0, 1, "x" * 160, "^"),
        ("x" * 161, 100, 1, "x" * 141, " " * 80 + "^"),
    ],
)
def test_place_in_a_line_is_pointed_at(
    line: str, start: int, width: int, shown: str, below: str
) -> None:
    assert point_at(line, start, width) == (shown, below)


@each("char", [*map(chr, range(0x3000)), *map(chr, range(0xD7F0, 0x10000)), "\U0001f600"])
def test_string_of_a_text_is_printable_and_read_back(char: str) -> None:
    assert unprintable(quote_text(char)) == []
    assert unquote(quote_text(char)) == char


PROGRAMS = {
    "relay": lambda seed: random_module(seed, 40),
    "loops in relay": lambda seed: random_loop_module(seed, 30),
    "core": random_core_program,
    "loops": random_func,
}


def show_types(program: Any) -> str:
    return str(infer_type(program))


def show_scopes(program: Any) -> str:
    return str(check_well_formed(program))


def show_python(program: Any) -> str:
    return str(to_python(program))


WAYS = (astext, str, repr, show_types, show_scopes, show_python)


@pytest.mark.parametrize("seed", seeds(2))
@pytest.mark.parametrize("language", PROGRAMS)
def test_programs_with_hostile_names_are_shown_escaped(language: str, seed: int) -> None:
    count = 0
    for field, program in with_hostile_names(PROGRAMS[language](seed)):
        count += 1
        for way in WAYS:
            try:
                told = way(program)
            except RelayishError as error:  # that language has no such form, or no such names
                told = str(error)
            assert unprintable(told) == [], (field, way)
        parts = list(program.functions.values()) if isinstance(program, Module) else [program]
        for node in EVERYTHING.post_order(parts)[:50]:
            for told in (repr(node), str(node), quote(node), describe(node)):
                assert unprintable(told) == [], field
    assert count > 2


def test_huge_things_make_no_huge_messages() -> None:
    dims, named = TensorType((3,) * 100_000), Var(HUGE)
    wrong = [
        lambda: parse(f'#[version = "0.0.5"]\ndef @main() {{ {HUGE}(1) }}'),
        lambda: parse(f'#[version = "0.0.5"]\ndef @main() {{ %{HUGE} }}'),
        lambda: parse(f'#[version = "0.0.5"]\ndef @main() {{ 1{"0" * 5000} }}'),
        lambda: parse('#[version = "0.0.5"]\ndef @main() { 1 ', HUGE),
        lambda: infer_type(Call(intern_op("add"), (Var("x", dims), Var("y", TensorType((2,)))))),
        lambda: infer_type(Function((Var(HUGE),), Call(Var(HUGE), ()))),
        lambda: IRModule({HUGE: Var("x")})["y"],
        lambda: IRModule({"f": Var("x")})[HUGE],
        lambda: TensorType((1,), HUGE),
        lambda: check_well_formed(Function((named, named), named)),
    ]
    for build in wrong:
        with pytest.raises(RelayishError) as caught:
            build()
        assert len(str(caught.value)) <= LONGEST


@each(
    ("name", "known", "said"),
    [
        ("ad", ["add"], "; did you mean add?"),
        ("abc", ["abcdefg"], "; did you mean abcdefg?"),  # as far as lengths may be apart
        ("abc", ["abcdefgh"], ""),
        ("abcdefg", ["abc"], "; did you mean abc?"),
        ("", ["add"], ""),
        ("add", [], ""),
    ],
)
def test_name_that_is_near_is_suggested(name: str, known: list[str], said: str) -> None:
    assert suggest(name, known) == said


def test_long_name_is_compared_with_none_that_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(difflib, "SequenceMatcher", None)
    assert suggest(HUGE, ["add", "n" * 100]) == ""


def test_line_of_a_program_is_shown_in_part_where_it_is_long() -> None:
    with pytest.raises(ParseError) as caught:
        parse(f'#[version = "0.0.5"]\ndef @main() {{ /* {HUGE} */ ] /* {HUGE} */ }}')
    assert len(str(caught.value)) < LONGEST_LINE
    assert caught.value.text is not None
    assert "] /* nnn" in caught.value.text


def test_hostile_warning_is_printable() -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        warnings.warn(HOSTILE, IgnoredNameWarning, stacklevel=1)
    assert unprintable(str(told[0].message)) == []


def test_text_with_hostile_names_is_read_back() -> None:
    for _, program in with_hostile_names(random_module(0, 40)):
        text = astext(program)
        assert_structural_equal(parse(text, allow_unknown_ops=True), program)

"""Texts changed at random: every reader gives what it reads or says what is wrong, and ends."""

from __future__ import annotations

import contextlib
import random
import re
import sys
from collections.abc import Callable
from typing import Any

import pytest

from relayish import core, parse, parse_expr, tir
from relayish.cli.onnx.reading import parse_shapes
from relayish.dataflow import parse_analyses
from relayish.domain.driver.context import DriverCtx
from relayish.errors import RelayishError
from relayish.text import parse_node, parse_pattern, parse_type
from relayish.transform import parse_pipeline
from tests.support.hostile import unprintable
from tests.support.random_exprs import random_module
from tests.support.seeds import SOAK, seeds
from tests.support.tir_programs import random_func

GRAMMAR = (
    "let free_var free_type fn if else match def type meta ref ref_read ref_write extern "
    "serial parallel for poly_for vectorize unroll function alloc free select "
    "core_func core_variable core_decl var reg global st ld call icall retv do_loop while_do "
    "Tensor int32 float32 bool True False ( ) { } [ ] < > = == => -> . , ; : - + * / % @ # ? _ "
    '%x %0 @main 0 1 -1 2f 1.5f 3i64 nan inf "" "a" /* */ //'
)
WORDS = GRAMMAR.split()
LONG = "9" * 5000
ODD = (
    LONG,
    f"int{LONG}",
    "\x1b[31m",
    "\0",
    "\r",
    "\u2028",
    "\u202e",
    "\x9b",
    "\ud800",
    "let=",
    "let(",
    "()",
    "[()]",
)

BOTH = (*WORDS, *(word for word in ODD if len(word) < 100))


def core_text() -> str:
    scope = core.GlobalScope()
    kept = scope.variable("g", "int32", init=3)
    with scope.function("main", {"n": "int32"}, "int32") as f:
        with f.if_(f.n < 5):
            f.store(kept, f.n + 1)
        f.retv(core.Ld(kept))
    return scope.module().astext()


READERS: dict[str, tuple[Callable[[str], object], Callable[[int], str]]] = {
    "relay": (parse, lambda seed: random_module(seed, size=6).astext()),
    "expr": (parse_expr, lambda seed: "let %x = (1, 2f); if (True) { %x.0 } else { add(%x.0, 1) }"),
    "node": (parse_node, lambda seed: "let %x = (1, 2f); %x"),
    "type": (parse_type, lambda seed: "fn (Tensor[(2, ?), float32], (int32, bool)) -> ref(int8)"),
    "core": (parse, lambda seed: core_text()),
    "loops": (tir.parse, lambda seed: tir.astext(random_func(seed, size=4))),
    "pattern": (parse_pattern, lambda seed: "Cons(%x, (_, List::Nil, %y: (int32, ref(int8))))"),
    "pipeline": (parse_pipeline, lambda seed: "InferType,FoldConstant{fold_qnn=true,size_limit=4}"),
    "analyses": (parse_analyses, lambda seed: "liveness,intervals{widen_after=5}"),
    "shapes": (lambda text: parse_shapes([text, text[::-1]]), lambda seed: "x:1,3,224,224"),
    "driver": (
        lambda text: DriverCtx().parse_options(text.split(" ")),
        lambda seed: "a.relay -O2 -trace -skip_after=7 -FoldConstant:fold_qnn:size_limit=4",
    ),
}


def changed(text: str, draw: random.Random) -> str:
    """Return ``text`` with a few of its tokens dropped, doubled, moved, or others put in."""
    tokens = re.findall(r"\s+|\w+|.", text, re.DOTALL)
    for _ in range(draw.choice((1, 1, 2, 3))):
        at = draw.randrange(len(tokens) + 1)
        match draw.randrange(6):
            case 0:
                del tokens[at : at + draw.choice((1, 1, 3))]
            case 1:
                tokens[at:at] = tokens[at : at + draw.choice((1, 3))]
            case 2:
                tokens.insert(at, draw.choice(tokens or WORDS))
            case 3:
                tokens.insert(at, f" {draw.choice(WORDS)} ")
            case 4:
                tokens.insert(at, draw.choice(ODD))
            case _:
                digits = [place for place, token in enumerate(tokens) if token.isdigit()]
                if digits:
                    tokens[draw.choice(digits)] = draw.choice((LONG, "0", "-1", "4294967296"))
    return "".join(tokens)


class Endless(BaseException):
    """More was called than any text of that length needs."""


def bounded(read: Callable[[str], object], text: str) -> None:
    """Read a text; what is not linear in it is an error."""
    left = 50_000 + 200 * len(text)

    def count(_frame: object, event: str, _argument: Any) -> None:
        nonlocal left
        left -= event == "call"
        if left < 0:
            raise Endless

    told = ""
    sys.setprofile(count)
    try:
        read(text)
    except RelayishError as error:
        told = str(error)
    finally:
        sys.setprofile(None)
    assert unprintable(told) == []


@pytest.mark.parametrize("name", READERS)
def test_any_text_is_read_or_refused(name):
    read, make = READERS[name]
    for seed in seeds(60):
        draw = random.Random(f"{name} {seed}")
        text = make(seed % 7)
        for _ in range(3):
            mutated = changed(text, draw)
            try:
                bounded(read, mutated)
            except BaseException as error:
                error.add_note(f"seed {seed}, of the reader of {name}, for\n{mutated[:2000]}")
                raise


@pytest.mark.parametrize("name", READERS)
def test_any_number_may_be_long(name):
    read, make = READERS[name]
    numbers = {}
    for seed in seeds(4):
        text = make(seed)
        for found in re.finditer(r"\d+", text):
            around = text[max(found.start() - 8, 0) : found.start()]
            numbers.setdefault(re.sub(r"\d", "0", around), (text, found))
    for text, found in numbers.values():
        for digits in (LONG, "9" * 20):
            with contextlib.suppress(RelayishError):
                read(text[: found.start()] + digits + text[found.end() :])


@pytest.mark.parametrize("name", READERS)
def test_any_two_words_are_read_or_refused(name):
    """A rule that consumes nothing, and is asked again, would go on for ever."""
    read, _ = READERS[name]
    pairs = [f"{one}{between}{other}" for one in BOTH for other in BOTH for between in ("", " ")]
    for text in pairs if SOAK else random.Random(name).sample(pairs, 200):
        try:
            bounded(read, text)
        except BaseException as error:
            error.add_note(f"of the reader of {name}, for\n{text!r}")
            raise


@pytest.mark.parametrize("text", ["let=1", "let(1)", "(let=1)", "1 + let=1", "let=%x", "let(=)"])
def test_let_without_a_variable_is_refused(text):
    for read in (parse_expr, parse_node):
        with pytest.raises(RelayishError, match="expected a variable after let"):
            read(text)

"""What TVM printed parses, and comes back from relayish's own text, which TVM could read."""

from __future__ import annotations

import gzip
import json
from functools import cache

import pytest

from relayish.ir.equality.structural_equal import first_mismatch
from relayish.text import astext, parse
from relayish.transform import InferType
from tests.support.shared_data import shared_path
from tests.support.tvm_tokens import misread
from tests.support.varied import varied

CHUNKS = 4


def check(texts: list[str]) -> None:
    for text in texts:
        mod = parse(text, allow_unknown_ops=True)
        printed = astext(mod)
        again = parse(printed, allow_unknown_ops=True)
        mismatch = first_mismatch(mod, again, map_free_vars=True)
        assert mismatch is None, f"{mismatch}\n{printed[:2000]}"
        assert astext(again) == printed
        assert misread(printed) == []


def lines(name: str) -> list[dict[str, str]]:
    with gzip.open(shared_path(f"corpus/{name}.jsonl.gz"), "rt") as file:
        return [json.loads(line) for line in file]


@cache
def pass_runs() -> list[str]:
    runs = [*lines("pairs"), *lines("pairs_layout_quantisation")]
    return varied(run[key] for run in runs for key in ("before", "after") if run[key])


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_recorded_pass_runs_parse_and_print_back(chunk: int) -> None:
    check(pass_runs()[chunk::CHUNKS])


def test_recorded_evaluations_parse_and_print_back() -> None:
    check(varied(run["mod"] for run in lines("evals")))


def test_recorded_workloads_parse_and_print_back() -> None:
    check(varied(path.read_text() for path in shared_path("programs").glob("*.relay")))


def test_typed_text_is_in_words_of_tvm() -> None:
    text = """#[version = "0.0.5"]
    type L[A] { C(A, L[A]), N }
    def @f[A](%a/1: L[A], %d: A) -> A { match (%a/1) { C(%x, _) => %x, N => %d } }
    def @main(%c: bool) { let %v = @f(C(if (%c) { 1i8 } else { 2i8 }, N), -1i8); (%v, (N, N)) }
    """
    printed = astext(InferType()(parse(text)))
    assert "type_args=[int8]" in printed
    assert "%a/1: L[A]" in printed
    assert misread(printed) == []
    odd = ("@f/* type_args=[int8] */(1)", "(#0=_, #0)", '%"a b"', '"a\\"', "1 %")
    assert [bool(misread(text)) for text in odd] == [True, True, True, True, False]

"""Every type that TVM wrote into the programs recorded of it is the type found here."""

from __future__ import annotations

import gzip
import json
from functools import cache

import pytest

from tests.support.shared_data import shared_path
from tests.support.type_comments import COMMENT, wrong_types
from tests.support.typed_text import typed
from tests.support.varied import varied

CHUNKS = 3

# In @iterate of the prelude TVM calls @compose(f, g) a function polymorphic in the type parameter
# of @iterate itself, which is bound outside: fn [A](A) -> A. It is a function of one type.
BOUND_TWICE = ("fn [A](A) -> A", ["fn (A) -> A"])

# TVM writes (2 * d3) * 3 for the size that nn.batch_flatten makes of 2, d3 and 3: d3 * 6 here.
NOT_SIMPLIFIED = (
    (
        "Tensor[(meta[tir.SizeVar][0], 2, meta[tir.SizeVar][1], 3), float32], "
        "Tensor[(meta[tir.SizeVar][0], meta[tir.Mul][0]), float32]"
    ),
    ["(Tensor[(d1, 2, d3, 3), float32], Tensor[(d1, d3 * 6), float32])"],
)
EXCEPTIONS = (BOUND_TWICE, NOT_SIMPLIFIED)


@cache
def recorded(file, key):
    """Return recorded programs that differ in their text; in the soak, all."""
    with gzip.open(shared_path(f"corpus/{file}.jsonl.gz"), "rt", encoding="utf-8") as lines:
        texts = {json.loads(line)[key] for line in lines}
    return varied(texts - {None})


def compared(texts):
    """Return how many types were compared, after checking that they are the same."""
    total = 0
    for text in texts:
        wrong, count = wrong_types(text)
        assert [item for item in wrong if item[1:] not in EXCEPTIONS] == [], text[:2000]
        assert count == len(COMMENT.findall(text.split("#[metadata]")[0]))
        total += count
    return total


@pytest.mark.parametrize("model", ["dcgan", "lstm", "mlp", "resnet18", "squeezenet"])
def test_types_of_recorded_workloads_are_those_of_tvm(model):
    paths = sorted(shared_path("programs").glob(f"{model}.*relay"))
    assert len(paths) == 6
    assert compared(path.read_text() for path in paths) > 100


def test_recorded_workloads_hold_nine_thousand_types():
    texts = [path.read_text() for path in shared_path("programs").glob("*.relay")]
    assert sum(len(COMMENT.findall(text)) for text in texts) == 9_473


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_types_of_recorded_results_of_passes_are_those_of_tvm(chunk):
    assert compared(recorded("pairs", "after")[chunk::CHUNKS]) > 1000


def test_types_of_recorded_evaluations_are_those_of_tvm():
    assert compared(recorded("evals", "mod")) > 1_000


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_recorded_programs_before_passes_are_well_typed(chunk):
    for text in recorded("pairs", "before")[chunk::CHUNKS]:
        assert typed(text) is not None


def test_every_type_in_a_comment_is_compared():
    (text,) = [path.read_text() for path in shared_path("programs").glob("mlp.relay")]
    total = len(COMMENT.findall(text))
    for number in range(total):
        place = list(COMMENT.finditer(text))[number]
        changed = text[: place.start("type")] + "Tensor[(7), int8]" + text[place.end("type") :]
        wrong, count = wrong_types(changed)
        assert (len(wrong), count) == (1, total)
        assert wrong[0][1] == "Tensor[(7), int8]"

"""Models of ONNX as modules and back: to the letter."""

from __future__ import annotations

import pytest

onnx = pytest.importorskip("onnx")

import relayish as relay  # noqa: E402
from relayish.binary import from_binary, to_binary  # noqa: E402
from relayish.frontend import from_onnx, to_onnx  # noqa: E402
from relayish.text import a2b, b2a  # noqa: E402
from tests.support.onnx_models import (  # noqa: E402
    MAKES_SUITE,
    differences,
    every,
    facts_of_model,
    light_models,
    models_of_others,
    suite_models,
)

pytestmark = pytest.mark.references

EVERY = every(40)
"""Of so many models of the suite, one is written as text, and in binary form."""


def _check_same(model, name):
    again = to_onnx(from_onnx(model))
    found = list(differences(facts_of_model(model), facts_of_model(again)))
    assert not found, f"{name}: {found[:3]}"
    return again


@pytest.mark.parametrize("path", [*models_of_others(), *light_models()], ids=lambda path: path.name)
def test_model_is_written_as_it_was_read(path):
    again = _check_same(onnx.load(path), path.name)
    onnx.checker.check_model(again)


@MAKES_SUITE
def test_models_of_the_suite_are_written_as_they_were_read():
    models = suite_models()
    assert len(models) > 1000
    for name in list(models)[:: every(4)]:
        _check_same(models[name], name)


@MAKES_SUITE
def test_models_of_the_suite_are_valid_when_they_are_written():
    models = suite_models()
    for name in list(models)[::EVERY]:
        onnx.checker.check_model(to_onnx(from_onnx(models[name])))


def _check_forms(mod, name):
    # a dimension that only the type of an output names is a free variable of the program
    forms = (relay.parse(relay.astext(mod)), a2b(b2a(mod)), from_binary(to_binary(mod)))
    for other in forms:
        assert relay.structural_equal(mod, other, map_free_vars=True), name


@MAKES_SUITE
def test_modules_of_the_suite_survive_text_and_binary_form():
    models = suite_models()
    for name in list(models)[::EVERY]:
        _check_forms(from_onnx(models[name]), name)


@pytest.mark.parametrize("path", models_of_others(), ids=lambda path: path.name)
def test_modules_of_models_survive_text_and_binary_form(path):
    if path.stat().st_size < 1_500_000 or EVERY == 1:
        _check_forms(from_onnx(path), path.name)

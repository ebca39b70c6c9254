"""Kernels, and what stands in for them, give what the test cases of ONNX expect."""

from __future__ import annotations

import pytest

from tests.support.each import each
from tests.support.onnx_kernels import node_cases, run_case

pytest.importorskip("onnx")

import onnx

from tests.support.onnx_models import MAKES_SUITE

pytestmark = pytest.mark.references

NOT_COMPUTED = {("", "ImageDecoder"), ("ai.onnx.preview.training", "Gradient")}
"""What needs packages that read images, or a graph around it."""

OPERATORS = sorted(
    {(schema.domain, schema.name) for schema in onnx.defs.get_all_schemas()} - NOT_COMPUTED
)


@MAKES_SUITE
@each("operator", OPERATORS)
def test_operator_gives_what_the_cases_of_onnx_expect(operator):
    failed = []
    for case in node_cases().get(operator, ()):
        try:
            run_case(case)
        except Exception as error:  # noqa: BLE001 - raised below
            error.add_note(case.name)
            failed.append(error)
    if failed:
        raise ExceptionGroup(f"{len(failed)} cases of {operator} fail", failed)

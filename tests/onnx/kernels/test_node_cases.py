"""Kernels give what the test cases of ONNX expect."""

from __future__ import annotations

import pytest

from relayish.onnx.kernels import kernels
from tests.support.each import each
from tests.support.onnx_kernels import node_cases, run_case

pytest.importorskip("onnx")

from tests.support.onnx_models import MAKES_SUITE

pytestmark = pytest.mark.references

OPERATORS = sorted({(domain, name) for domain, name, _ in kernels()})


@MAKES_SUITE
@each("operator", OPERATORS)
def test_kernel_gives_what_the_cases_of_onnx_expect(operator):
    failed = []
    for case in node_cases().get(operator, ()):
        try:
            run_case(case)
        except Exception as error:  # noqa: BLE001 - raised below
            error.add_note(case.name)
            failed.append(error)
    if failed:
        raise ExceptionGroup(f"{len(failed)} cases of {operator} fail", failed)

from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import EvaluationError
from relayish.onnx.element_types import (
    ELEMENT_TYPES,
    element_type_name,
    element_type_number,
    find_element_type,
    find_numpy_dtype,
)


@pytest.mark.references
def test_element_types_are_those_of_onnx():
    onnx = pytest.importorskip("onnx")
    theirs = {
        number: name
        for name, number in onnx.TensorProto.DataType.items()
        if number != onnx.TensorProto.UNDEFINED
    }
    spellings = {"FLOAT": "FLOAT32", "DOUBLE": "FLOAT64", "FLOAT8E8M0": "FLOAT8E8M0FNU"}
    spellings |= {name: name + "FN" for name in ("FLOAT4E2M1", "FLOAT6E2M3", "FLOAT6E3M2")}
    theirs = {number: spellings.get(name, name).lower() for number, name in theirs.items()}
    known = {number: name.replace("_", "") for number, name in ELEMENT_TYPES.items()}
    assert known == theirs


@pytest.mark.references
def test_numpy_types_are_those_of_onnx():
    onnx = pytest.importorskip("onnx")
    for number in ELEMENT_TYPES:
        assert find_numpy_dtype(number) == onnx.helper.tensor_dtype_to_np_dtype(number)
        assert find_element_type(find_numpy_dtype(number)) == number


def test_names_and_numbers_are_inverse():
    assert [element_type_number(element_type_name(n)) for n in ELEMENT_TYPES] == list(ELEMENT_TYPES)


def test_an_unknown_number_is_refused():
    with pytest.raises(EvaluationError, match="99 is no element type of ONNX; expected one of 1"):
        find_numpy_dtype(99)


def test_an_unknown_name_is_refused():
    with pytest.raises(EvaluationError, match="'float3' is no element type of ONNX"):
        element_type_number("float3")


def test_arrays_of_texts_are_strings():
    assert find_element_type(np.array(["a"]).dtype) == 8
    assert find_element_type(np.array(["a"], object).dtype) == 8

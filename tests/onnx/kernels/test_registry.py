from __future__ import annotations

from types import SimpleNamespace

import pytest

from relayish.errors import DuplicateNameError
from relayish.ir.registration.declarations import declared_temporarily
from relayish.onnx.kernels import absent_parameters, find_kernel, kernel, kernels, registry


@pytest.fixture(autouse=True)
def temporary():
    with declared_temporarily():
        yield


def test_a_kernel_serves_the_versions_it_names():
    @kernel("Made", since=(1, 7), domain="here")
    def made(x):
        return x

    assert find_kernel("here", "Made", 1) is made
    assert find_kernel("here", "Made", 7) is made
    assert find_kernel("here", "Made", 6) is None
    assert find_kernel("", "Made", 1) is None
    assert list(kernels())[-2:] == [("here", "Made", 1), ("here", "Made", 7)]


def test_a_second_kernel_of_a_version_is_refused():
    kernel("Made", since=(1,))(abs)
    with pytest.raises(DuplicateNameError, match=r"version 1 of Made .* builtins.abs and .*len;"):
        kernel("Made", since=(7, 1))(len)
    kernel("Made", since=(1,))(abs)


def test_attributes_are_absent_before_they_are_added_and_after_they_are_removed():
    kernel("Made", since=(1, 6, 7, 13), added={"new": 7}, removed={"old": 7})(abs)
    absent = {version: absent_parameters("", "Made", version) for version in (1, 6, 7, 13, 14)}
    assert absent == {1: {"new"}, 6: {"new"}, 7: {"old"}, 13: {"old"}, 14: set()}


def test_kernels_are_imported_before_somebody_else_registers_one(monkeypatch):
    loaded = []
    monkeypatch.setattr(registry, "_OWN", SimpleNamespace(load=lambda: loaded.append("all")))
    kernel("Made", since=(1,))(find_kernel("", "Abs", 13))
    assert loaded == ["all", "all"]  # once to find what is registered here


def test_kernels_that_register_functions_of_numpy_load_no_others(monkeypatch):
    loaded = []
    monkeypatch.setattr(registry, "_OWN", SimpleNamespace(load=lambda: loaded.append("all")))
    named = {"__name__": "relayish.onnx.kernels.of_test", "kernel": kernel, "abs": abs}
    exec("kernel('Made', since=(1,))(abs)", named)
    assert loaded == []

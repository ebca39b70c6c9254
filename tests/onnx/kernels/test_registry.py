from __future__ import annotations

import pytest

from relayish.errors import DuplicateNameError
from relayish.onnx.kernels import find_kernel, kernel, kernels, registry


@pytest.fixture(autouse=True)
def own_table(monkeypatch):
    monkeypatch.setattr(registry, "_KERNELS", {})


def test_a_kernel_serves_the_versions_it_names():
    @kernel("Made", since=(1, 7), domain="here")
    def made(x):
        return x

    assert find_kernel("here", "Made", 1) is made
    assert find_kernel("here", "Made", 7) is made
    assert find_kernel("here", "Made", 6) is None
    assert find_kernel("", "Made", 1) is None
    assert list(kernels()) == [("here", "Made", 1), ("here", "Made", 7)]


def test_a_second_kernel_of_a_version_is_refused():
    kernel("Made", since=(1,))(abs)
    with pytest.raises(DuplicateNameError, match="both claim version 1 of Made"):
        kernel("Made", since=(7, 1))(len)
    kernel("Made", since=(1,))(abs)

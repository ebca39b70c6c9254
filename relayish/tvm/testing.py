"""Tests as scripts for TVM write them, for the one target there is, the CPU.

What ``relayish.testing`` has is here too, and is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from relayish.errors import OperatorError
from relayish.testing import *  # noqa: F403 - all there is
from relayish.tvm.finder import show_names_of
from relayish.tvm.nd import Device, cpu, device
from relayish.tvm.target import Target

__path__: list[str] = []  # for the names of modules within that TVM has

show_names_of("relayish.testing", __name__)

_Test = TypeVar("_Test", bound=Callable[..., Any])


def enabled_targets() -> list[tuple[str, Device]]:
    """Return the targets and devices that programs can be evaluated on.

    Source:
        TVM ``testing.enabled_targets``.

    Example:
        >>> enabled_targets()
        [('llvm', Device(device_type=1, device_id=0))]
    """
    return [("llvm", cpu(0))]


def device_enabled(target: str | Target) -> bool:
    """Return whether programs are evaluated on the device of ``target``: whether it is a CPU.

    Source:
        TVM ``testing.device_enabled``.

    Example:
        >>> device_enabled("llvm -mcpu=skylake"), device_enabled("cuda")
        (True, False)
    """
    try:
        return device(Target(target).kind.name).exist
    except OperatorError:
        return False


def parametrize_targets(*targets: Any) -> Any:  # Any: names, or the test below the bare decorator
    """Run a test with ``target`` and ``dev`` of each of the targets there are.

    Args:
        targets: Those that are meant, by name; all there are, if none is given. Those that are not
            there are left out.

    Source:
        TVM ``testing.parametrize_targets``.
    """
    import pytest  # noqa: PLC0415 - a tool, which those that run no tests need not have

    if len(targets) == 1 and callable(targets[0]):
        return parametrize_targets()(targets[0])
    wanted = targets or tuple([name for name, _ in enabled_targets()])
    found = [(name, cpu(0)) for name in wanted if device_enabled(name)]
    return pytest.mark.parametrize(("target", "dev"), found)


def uses_gpu(test: _Test) -> _Test:
    """Return ``test``, which would run on a GPU as well if there were one.

    Source:
        TVM ``testing.uses_gpu``.
    """
    return test


def requires_llvm(test: _Test) -> _Test:
    """Return ``test``, which runs on the CPU.

    Source:
        TVM ``testing.requires_llvm``.
    """
    return test


def requires_gpu(test: _Test) -> _Test:
    """Return ``test``, which is skipped, for there is no GPU.

    Source:
        TVM ``testing.requires_gpu``, ``requires_cuda``.
    """
    import pytest  # noqa: PLC0415 - as above

    skipped: _Test = pytest.mark.skip(reason="nothing is compiled for a GPU")(test)
    return skipped


requires_cuda = requires_gpu


def parameter(*values: object, ids: Sequence[str] | None = None) -> Any:  # Any: a fixture
    """Return a fixture: each test that takes what it is assigned to runs with each of ``values``.

    Source:
        TVM ``testing.parameter``.
    """
    import pytest  # noqa: PLC0415 - as above

    def found(*_instance: object, request: Any) -> object:  # Any: what pytest gives
        return request.param

    return pytest.fixture(params=values, ids=ids)(found)

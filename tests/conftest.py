"""Who runs which tests, what they take, when garbage is collected, and what is forgotten."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from relayish import _kernel
from relayish.ir.registration.declarations import declared_temporarily
from tests.support.references import fault_of_mark

STARTED = pytest.StashKey[float]()

MUCH = 200_000
"""So many more objects made than freed that a test is cleaned up after at once."""


def pytest_report_header() -> str:
    """Say what is tested, and whether its source has changed since it was compiled."""
    home = Path(_kernel.__file__).parent
    built = getattr(_kernel._compiled, "__file__", None)
    is_old = built and Path(built).stat().st_mtime < max(
        (path.stat().st_mtime for path in home.glob("*.[ch]")), default=0
    )
    return f"relayish: {_kernel.MODE}{', older than its source: make core' if is_old else ''}"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Let one worker run all tests of a file: programs that they share are made once."""
    if config.getoption("dist") != "load":
        return None  # somebody chose otherwise
    from xdist.scheduler import LoadFileScheduling  # noqa: PLC0415 - only where it is installed

    return LoadFileScheduling(config, log)


def pytest_collection() -> None:
    """Make the many objects that are tests without looking for garbage among them."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Let what there is before the first test be old, which collections between tests pass over."""
    gc.enable()
    gc.collect()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    """Note when a test begins, and why it is allowed to be slow."""
    item.stash[STARTED] = _seconds()
    item.user_properties += [("slow", mark.args[0]) for mark in item.iter_markers("slow")]
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Fail a test that skips for want of torch or onnx and is not marked so, or needs neither."""
    report = yield
    is_marked = item.get_closest_marker("references") is not None
    if fault := fault_of_mark(report, is_marked=is_marked):
        report.outcome, report.longrepr = "failed", fault
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """Note what a test took, for ``python -m tools.slow_tests``."""
    result = yield
    item.user_properties.append(("cpu", f"{_seconds() - item.stash[STARTED]:.3f}"))
    return result


def _seconds() -> float:
    """Return the seconds of CPU that this process took, and those that it started."""
    return time.process_time() + sum(os.times()[2:4])


@pytest.fixture(autouse=True, scope="session")
def _compiled_apart(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What tests compile is kept apart from what users did, examples of documentation included."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RELAYISH_CACHE", str(tmp_path_factory.mktemp("compiled")))
        yield


@pytest.fixture(autouse=True)
def _collect_between_tests() -> Iterator[None]:
    """Deep programs are millions of live objects; looking through them again and again is slow."""
    gc.disable()
    yield
    gc.enable()
    if gc.get_count()[0] > MUCH:
        gc.collect(1)


@pytest.fixture
def declarations() -> Iterator[None]:
    """Whatever a test declares or registers is forgotten after it."""
    with declared_temporarily():
        yield

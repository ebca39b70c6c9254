"""What tests take: seconds of CPU by folder, the slowest, and those that nobody has excused.

A test has a second; one that needs more says why: ``@pytest.mark.slow("a million lines")``. ::

    python -m pytest -n auto --junitxml=report.xml
    python -m tools.slow_tests report.xml

A test without the mark that took too long is run again, in a process of its own: the first to draw
a string, or to ask a model for its values, also pays for what others find ready, and a machine may
be busy. The command fails where one takes more than twice its second both times; a second is what
it is on the machine that it was set on, and lasts longer where Python is slower.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

BUDGET: Final = 1.0
"""Seconds of CPU that a test has."""

SLACK: Final = 2.0
"""A machine on which others work takes up to so many times as long."""

USUAL: Final = 0.023
"""Seconds of CPU of the work of :func:`slowness` on the machine that the budget is set on."""

SHOWN: Final = 10
"""So many of the slowest tests are told."""


@dataclass(frozen=True)
class Taken:
    """What one test took, and why it may take more than others."""

    name: str
    folder: str
    seconds: float
    reason: str | None


def read_report(report: Path) -> list[Taken]:
    """Return what the tests of a report of pytest took, those that were skipped included."""
    cases = ET.parse(report).iter("testcase")  # noqa: S314  # written by our own tests
    return [_taken(case) for case in cases]


def _taken(case: ET.Element) -> Taken:
    module = case.attrib["classname"]
    found = {each.attrib["name"]: each.attrib["value"] for each in case.iter("property")}
    seconds = float(found.get("cpu", case.attrib["time"]))
    return Taken(f"{module}::{case.attrib['name']}", _folder(module), seconds, found.get("slow"))


def _folder(module: str) -> str:
    """Return the names at the start of a module that tell its room, but for that of a file."""
    parts = [part for part in module.split(".")[:-1] if not part.startswith("test_")]
    return "/".join(parts[:4] if parts[1:2] == ["passes"] else parts[:2])


def table(tests: Sequence[Taken]) -> str:
    """Return how many tests each folder has and what they take, and which are the slowest."""
    count = Counter(test.folder for test in tests)
    seconds: Counter[str] = Counter()
    for test in tests:
        seconds[test.folder] += test.seconds  # type: ignore[assignment]  # floats add up as well
    rows = [f"{name:40}{count[name]:7} tests{seconds[name]:8.1f} s" for name in sorted(count)]
    rows += [f"{'together':40}{len(tests):7} tests{sum(t.seconds for t in tests):8.1f} s", ""]
    slowest = sorted(tests, key=lambda test: -test.seconds)[:SHOWN]
    return "\n".join(rows + [f"{t.seconds:6.1f} s  {t.name}  {t.reason or ''}" for t in slowest])


def slowness() -> float:
    """Return how many times as long as usual Python takes on this machine, at least once."""
    return max(1.0, min(_seconds_of_work() for _ in range(10)) / USUAL)


def _seconds_of_work() -> float:
    """Return the seconds of CPU of a fixed piece of work."""
    begin = time.process_time()
    seen = {}
    for number in range(200_000):
        seen[number % 1000] = number, str(number)
    return time.process_time() - begin


def unexcused(tests: Sequence[Taken], second: float = 1.0) -> list[Taken]:
    """Return the tests that take too long and do not say why, the slowest first."""
    found = [t for t in tests if t.reason is None and t.seconds > BUDGET * SLACK * second]
    return sorted(found, key=lambda test: -test.seconds)


def try_again(test: Taken) -> Taken:
    """Return the less that a test takes: now, alone, or before."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "again.xml")
        command = [sys.executable, "-m", "pytest", "-q", f"--junitxml={report}"]
        command += ["-p", "no:cacheprovider", "-p", "no:xdist", _node(test.name)]
        ended = subprocess.run(command, check=False, stdout=subprocess.DEVNULL)  # noqa: S603
        if ended.returncode:
            return test
        again = sum(each.seconds for each in read_report(report))
    return replace(test, seconds=min(test.seconds, again))


def _node(name: str) -> str:
    """Return how pytest calls a test that a report calls ``tests.test_file.TestClass::test``."""
    module, _, test = name.partition("::")
    *parents, last = module.split(".")
    while parents and not Path(*parents, f"{last}.py").is_file():
        test = f"{last}::{test}"
        *parents, last = parents
    return f"{'/'.join([*parents, last])}.py::{test}"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description="tell what tests take, and which take too long")
    parser.add_argument("reports", type=Path, nargs="+", help="written by pytest --junitxml")
    options = parser.parse_args(argv)
    tests = [test for report in options.reports for test in read_report(report)]
    print(table(tests))
    second = slowness()
    found = unexcused([try_again(test) for test in unexcused(tests, second)], second)
    for test in found:
        print(
            f"{test.name} takes {test.seconds:.1f} s, and a test has {BUDGET:g}; make it shorter,"
            " or say why not: @pytest.mark.slow(reason)"
        )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

"""Workflows, locked versions and what the distribution says of itself agree."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

packaging = pytest.importorskip("packaging.requirements")

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CI = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
NIGHTLY = (ROOT / ".github" / "workflows" / "nightly.yml").read_text(encoding="utf-8")
CONSTRAINTS = (ROOT / ".ci" / "constraints.txt").read_text(encoding="utf-8")

UNPROVEN = {"3.14"}
"""Pythons that are tried, and may fail without a change being at fault."""


def pythons_of(workflow: str) -> set[str]:
    """Return the Pythons of all matrices."""
    rows = re.findall(r"python: \[(.*)\]", workflow)
    return {version for row in rows for version in re.findall(r"[\d.]+", row)}


def requirements() -> list:
    """Return what the package needs, all extras included."""
    extras = PROJECT["optional-dependencies"].values()
    lines = {*PROJECT["dependencies"], *(line for extra in extras for line in extra)}
    return [packaging.Requirement(line) for line in sorted(lines)]


def test_every_folder_of_tests_is_in_one_part_of_the_matrix():
    parts = re.findall(r"paths: >-\n((?: {14}.*\n)+)|paths: (tests/.*)\n", CI)
    named = [path for pair in parts for path in "".join(pair).split()]
    folders = {
        f"tests/{path.relative_to(ROOT / 'tests').parts[0]}"
        for path in (ROOT / "tests").rglob("*/test_*.py")
    }
    assert sorted(named) == sorted({*folders, "tests/test_*.py"})


def test_classifiers_name_the_pythons_that_the_workflow_proves():
    proven = pythons_of(CI) - UNPROVEN
    prefix = "Programming Language :: Python :: "
    named = {text.removeprefix(prefix) for text in PROJECT["classifiers"] if prefix in text}
    assert named == {"3 :: Only", *proven}
    assert PROJECT["requires-python"] == f">={min(proven, key=lambda v: int(v.split('.')[1]))}"
    assert "continue-on-error: ${{ matrix.python == '3.14' }}" in CI
    assert pythons_of(NIGHTLY) == pythons_of(CI)


def test_oldest_numpy_that_is_allowed_is_proven():
    (numpy,) = (need for need in PROJECT["dependencies"] if need.startswith("numpy"))
    assert set(re.findall(r'numpy: "([\d.]+)"', CI)) == {numpy.removeprefix("numpy>=")}


def test_every_requirement_is_locked_to_a_version_that_it_allows():
    locked = dict(line.lower().split("==") for line in CONSTRAINTS.splitlines() if "==" in line)
    normal = {re.sub(r"[-_.]+", "-", name): version for name, version in locked.items()}
    for need in requirements():
        name = re.sub(r"[-_.]+", "-", need.name.lower())
        assert name in normal, f"{need} is not locked; make lock writes .ci/constraints.txt anew"
        assert need.specifier.contains(normal[name]), f"{need}, and {normal[name]} is locked"


def test_steps_of_the_nightly_workflow_are_those_of_the_soak():
    soak = (ROOT / ".ci" / "soak").read_text(encoding="utf-8")
    functions = set(re.findall(r"^(\w+)\(\) \{", soak, re.MULTILINE))
    (steps,) = re.findall(r"step: \[(.*)\]", NIGHTLY)
    assert {*steps.split(", ")} < functions
    (every,) = re.findall(r"steps=\((\w.*)\)", soak)
    assert {*every.split()} == functions - {"try", "elsewhere"}


def test_soak_without_a_seed_is_no_soak():
    environment = {**os.environ, "SOAK": "", "TIMES": ""}
    command = [sys.executable, "-c", "from tests.support.seeds import seeds; print(list(seeds(2)))"]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True)  # noqa: PLW1510
    assert done.stdout == "[0, 1]\n", done.stderr

"""What stands around the package agrees: version, changes, hooks, licence."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

import relayish
from tests.support import references
from tests.support.references import fault_of_mark, how_much_is_marked, how_much_needs_them
from tools.release import read_sections

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_version_of_the_distribution_is_that_of_the_package():
    module, _, name = PROJECT["tool"]["setuptools"]["dynamic"]["version"]["attr"].rpartition(".")
    source = (ROOT / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8")
    assert f'{name}: Final = "{relayish.__version__}"' in source
    assert "version" not in PROJECT["project"]


def test_every_change_is_of_a_type_that_the_list_of_changes_knows():
    types = {kind["directory"] for kind in PROJECT["tool"]["towncrier"]["type"]}
    fragments = sorted(path.name for path in (ROOT / "changelog.d").iterdir())
    fragments.remove(".gitkeep")  # keeps the folder when a release has gathered all of them
    known = re.compile(rf"[a-z0-9-]+\.({'|'.join(types)})\.md")
    assert [name for name in fragments if not known.fullmatch(name)] == []


def test_version_has_its_section_in_the_list_of_changes_and_newest_come_first():
    sections = read_sections((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    numbers = [tuple(map(int, section.version.split("."))) for section in sections]
    dates = [section.date for section in sections]
    assert sections[0].version == relayish.__version__
    assert numbers == sorted(set(numbers), reverse=True)
    assert dates == sorted(dates, reverse=True)
    assert all(section.text for section in sections)


def test_links_of_the_list_of_changes_lead_somewhere():
    pages = [ROOT / "CHANGELOG.md", *(ROOT / "changelog.d").glob("*.md")]  # gathered into it
    texts = [page.read_text(encoding="utf-8") for page in pages]
    links = [link for text in texts for link in re.findall(r"\]\(([^)#:\s]+)", text)]
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_hooks_and_workflow_run_what_there_is():
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    hooks = re.findall(r"entry: make ([\w-]+)", (ROOT / ".pre-commit-config.yaml").read_text())
    assert len(hooks) > 3
    assert set(hooks) <= set(targets)
    assert "- run: .ci/run\n" in (ROOT / ".github" / "workflows" / "ci.yml").read_text()


def test_hooks_run_all_that_make_check_runs():
    makefile = (ROOT / "Makefile").read_text()
    checked = re.search(r"^check: (.*?) +##", makefile, re.MULTILINE)
    assert checked is not None
    hooks = re.findall(r"entry: make ([\w-]+)", (ROOT / ".pre-commit-config.yaml").read_text())
    assert sorted(hooks) == sorted(checked[1].split())


def test_citation_is_of_the_version_and_of_the_project():
    lines = (ROOT / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    told = dict(line.split(": ", 1) for line in lines if re.match(r"[a-z-]+: \S", line))
    newest = read_sections((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))[0]
    assert (told["version"], told["date-released"]) == (newest.version, newest.date)
    assert told["title"] == PROJECT["project"]["name"]
    assert told["license"] == PROJECT["project"]["license"]
    assert told["repository-code"] == PROJECT["project"]["urls"]["Homepage"]
    assert told["url"] == PROJECT["project"]["urls"]["Documentation"]


def test_extras_that_pages_name_are_there():
    extras = PROJECT["project"]["optional-dependencies"]
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    named = {
        name
        for page in pages
        for name in re.findall(r"relayish\[(\w+)\]", page.read_text(encoding="utf-8"))
    }
    assert {"onnx", "onnxruntime"} <= named <= set(extras)


def test_licence_is_the_one_that_the_distribution_names():
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert PROJECT["project"]["license"] == "Apache-2.0"
    assert "Apache License" in text
    assert "Version 2.0, January 2004" in text
    assert "END OF TERMS AND CONDITIONS" in text


def test_every_test_that_goes_deep_is_marked():
    unmarked = [
        f"{path.relative_to(ROOT)}::{found.name}"
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        if "tests.support.depth import" in (source := path.read_text(encoding="utf-8"))
        for found in ast.walk(ast.parse(source))
        if isinstance(found, ast.FunctionDef) and found.name.startswith("test_")
        if any(isinstance(name, ast.Name) and name.id == "DEPTH" for name in ast.walk(found))
        if "pytest.mark.deep" not in map(ast.unparse, found.decorator_list)
    ]
    assert unmarked == []


def test_modules_that_need_torch_or_onnx_are_marked_and_no_others():
    wrong = [
        f"{path.relative_to(ROOT)}: {needing} of it needs torch or onnx, {marked} is marked"
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        if (needing := how_much_needs_them(path)) != (marked := how_much_is_marked(path))
    ]
    assert wrong == []


def report(outcome, told=None):
    return pytest.TestReport("test", ("test.py", 1, "test"), {}, outcome, told, "call")


def test_a_mark_is_missing_where_a_test_skips_for_want_of_a_reference():
    reason = "Skipped: could not import 'torch': No module named 'torch'"
    found = report("skipped", ("test.py", 1, reason))
    assert "is not marked to need" in fault_of_mark(found, is_marked=False)
    assert fault_of_mark(found, is_marked=True) is None
    other = report("skipped", ("test.py", 1, "Skipped: root may write everywhere"))
    assert fault_of_mark(other, is_marked=False) is None


def test_a_mark_is_idle_where_a_test_passes_without_any_reference(monkeypatch):
    monkeypatch.setattr(references, "NONE_IS_THERE", True)
    assert "take its mark" in fault_of_mark(report("passed"), is_marked=True)
    assert fault_of_mark(report("passed"), is_marked=False) is None
    assert fault_of_mark(report("failed"), is_marked=True) is None
    monkeypatch.setattr(references, "NONE_IS_THERE", False)
    assert fault_of_mark(report("passed"), is_marked=True) is None

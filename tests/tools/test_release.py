"""What a release needs, tried on a checkout of few files."""

from __future__ import annotations

import fnmatch
import re
import tarfile
import zipfile
from pathlib import Path

import pytest

import relayish
from tools.distributions import check_contents, kept_files
from tools.links import homepage
from tools.release import find_faults, main, notes_of, read_sections

CHANGES = """# Changes

<!-- changes -->

## 0.3.0 (2027-02-01)

### Added

* [A thing](docs/thing.md).

## 0.2.0 (2026-11-28)

The first.
"""
RELEASES = "tests/cases/releases"
ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A checkout that is ready to be released as 0.3.0."""
    (tmp_path / "CHANGELOG.md").write_text(CHANGES)
    for folder in (
        "changelog.d",
        "docs",
        *(f"{RELEASES}/{version}" for version in ("0.2.0", "0.3.0")),
    ):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "changelog.d" / ".gitkeep").touch()
    (tmp_path / "docs" / "thing.md").touch()
    (tmp_path / "pyproject.toml").write_text('[project.urls]\nHomepage = "https://x.test/tiny"\n')
    return tmp_path


def test_sections_are_read_in_order():
    assert [section[:2] for section in read_sections(CHANGES)] == [
        ("0.3.0", "2027-02-01"),
        ("0.2.0", "2026-11-28"),
    ]
    assert read_sections(CHANGES)[1].text == "The first."


def test_nothing_keeps_a_checkout_that_is_ready_from_being_released(root):
    assert find_faults("v0.3.0", root, "0.3.0") == []


@pytest.mark.parametrize("tag", ["0.3.0", "v0.3.1", "v0.3.0-rc1", ""])
def test_tag_is_the_version(root, tag):
    (fault,) = find_faults(tag, root, "0.3.0")
    assert fault.startswith(f"the tag is {tag}, and the version 0.3.0;")


def test_version_is_three_numbers(root):
    assert "expected three numbers" in find_faults("v0.3", root, "0.3")[0]


def test_version_has_its_section_first(root):
    (fault,) = find_faults("v0.2.0", root, "0.2.0")
    assert fault.startswith("CHANGELOG.md begins with 0.3.0; expected one of 0.2.0")
    (root / "CHANGELOG.md").write_text("# Changes\n")
    (fault,) = find_faults("v0.3.0", root, "0.3.0")
    assert fault.startswith("CHANGELOG.md has no section; expected one of 0.3.0")


def test_section_tells_something(root):
    (root / "CHANGELOG.md").write_text("## 0.3.0 (2027-02-01)\n\n## 0.2.0 (2026-11-28)\n\nIt.\n")
    assert find_faults("v0.3.0", root, "0.3.0") == [
        "CHANGELOG.md tells nothing of 0.3.0; write what there is"
    ]


def test_no_fragment_is_left(root):
    (root / "changelog.d" / "thing.added.md").write_text("A thing.")
    (fault,) = find_faults("v0.3.0", root, "0.3.0")
    assert fault.startswith("changelog.d/ has thing.added.md still;")


def test_program_is_kept_as_the_release_writes_it(root):
    (root / RELEASES / "0.3.0").rmdir()
    (fault,) = find_faults("v0.3.0", root, "0.3.0")
    assert fault.startswith(f"{RELEASES}/0.3.0 is not there;")


def test_notes_are_the_section_with_links_to_the_tag(root):
    assert notes_of("0.3.0", root) == (
        "### Added\n\n* [A thing](https://x.test/tiny/blob/v0.3.0/docs/thing.md)."
    )
    assert notes_of("0.1.0", root) is None


def test_command_says_what_keeps_a_tag_from_being_a_release(root, capsys):
    assert main(["--check", "v9.9.9"], root) == 1
    assert f"the tag is v9.9.9, and the version {relayish.__version__}" in capsys.readouterr().err


def test_command_prints_notes(root, capsys):
    assert main(["--notes", "0.2.0"], root) == 0
    assert capsys.readouterr().out == "The first.\n"
    assert main(["--notes", "0.1.0"], root) == 1
    assert capsys.readouterr().err == "CHANGELOG.md has no section of 0.1.0\n"


def test_notes_of_the_version_lead_to_its_tag():
    notes = notes_of(relayish.__version__)
    assert notes is not None
    links = re.findall(r"\]\(([^)]+)\)", notes)
    assert [link for link in links if "://" not in link] == []
    own = [link for link in links if link.startswith(f"{homepage()}/")]
    assert [link for link in own if f"/v{relayish.__version__}/" not in link] == []


def distributions(
    folder: Path, sdist: list[str], wheel: list[str], tag: str = "cp311-cp311-linux_x86_64"
) -> tuple[Path, Path]:
    empty = folder / "empty"
    empty.touch()
    with tarfile.open(folder / "tiny-1.tar.gz", "w:gz") as archive:
        for name in sdist:
            archive.add(empty, f"tiny-1/{name}")
    with zipfile.ZipFile(folder / f"tiny-1-{tag}.whl", "w") as held:
        for name in wheel:
            held.write(empty, name)
    return folder / "tiny-1.tar.gz", folder / f"tiny-1-{tag}.whl"


KEPT = ["README.md", "tests/test_a.py", "relayish/py.typed", "relayish/_kernel/loops.c"]
PURE = ["relayish/py.typed", "relayish-1.dist-info/METADATA"]
WHEEL = [*PURE, "relayish/_kernel/_compiled.cpython-311-x86_64-linux-gnu.so"]


def test_sdist_holds_what_is_kept_and_wheels_the_package(tmp_path):
    check_contents(*distributions(tmp_path, ["PKG-INFO", *KEPT], WHEEL), KEPT)
    check_contents(*distributions(tmp_path, ["PKG-INFO", *KEPT], PURE, "py3-none-any"), KEPT)


@pytest.mark.parametrize(
    ("sdist", "wheel", "told"),
    [
        (KEPT[:3], WHEEL, r"tiny-1.tar.gz lacks relayish/_kernel/loops.c; see MANIFEST.in"),
        (KEPT[2:], WHEEL, r"lacks README.md, tests/test_a.py; see MANIFEST.in"),
        (KEPT, ["relayish/a.py"], r"64.whl lacks relayish/py.typed; see package-data"),
        (KEPT, [*WHEEL, "tests/a.py"], "holds tests beside relayish"),
        (KEPT, PURE, r"64.whl holds no compiled core; is there a compiler\?"),
        (KEPT, [*WHEEL, "relayish/_kernel/loops.c"], "holds relayish/_kernel/loops.c; see excl"),
    ],
)
def test_distributions_that_hold_something_else_are_refused(tmp_path, sdist, wheel, told):
    with pytest.raises(SystemExit, match=told):
        check_contents(*distributions(tmp_path, sdist, wheel), KEPT)


def test_wheel_for_all_machines_that_holds_code_of_one_is_refused(tmp_path):
    with pytest.raises(SystemExit, match=r"any.whl holds relayish/_kernel/_compiled.cpython-311-x"):
        check_contents(*distributions(tmp_path, KEPT, WHEEL, "py3-none-any"), KEPT)


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="an sdist is no checkout")
def test_manifest_names_all_that_is_kept():
    lines = (ROOT / "MANIFEST.in").read_text(encoding="utf-8").splitlines()
    rules = [words for line in lines if (words := line.split()) and words[0] != "#"]
    folders = ("relayish", *(name for sort, name, *_ in rules if sort == "graft"))
    named = ["pyproject.toml", "setup.py", "LICENSE"]
    named += [name for sort, *names in rules if sort == "include" for name in names]
    assert [
        name
        for name in kept_files()
        if not name.startswith(tuple(f"{folder}/" for folder in folders))
        and not any(fnmatch.fnmatchcase(name, pattern) for pattern in named)
    ] == []


@pytest.mark.parametrize(("workflow", "target"), [("release", "dist"), ("site", "site")])
def test_workflow_builds_as_the_makefile_does(workflow, target):
    steps = (ROOT / ".github" / "workflows" / f"{workflow}.yml").read_text(encoding="utf-8")
    assert re.findall(r"run: make (\w+) PYTHON=python\n", steps) == [target]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(rf"^{target}:  ## ", makefile, re.MULTILINE)


def test_nothing_is_published_before_its_tests_have_passed():
    steps = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    assert "    uses: ./.github/workflows/ci.yml\n" in steps
    assert re.findall(r"needs: (.*)", steps) == ["[tests, build, wheels]", "publish"]
    tests = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    assert "\n  workflow_call:\n" in tests
    assert "group: ci-" in tests  # that of the caller would wait for itself


def test_wheels_of_all_machines_are_published_with_the_one_for_every_machine():
    folder = ROOT / ".github" / "workflows"
    release = (folder / "release.yml").read_text(encoding="utf-8")
    wheels = (folder / "wheels.yml").read_text(encoding="utf-8")
    assert "    uses: ./.github/workflows/wheels.yml\n" in release
    assert "\n  workflow_call:\n" in wheels
    assert "          name: dist-${{ matrix.machine }}\n" in wheels
    assert release.count("          pattern: dist*\n          merge-multiple: true\n") == 2
    assert re.findall(r"    +(dist/\S+)\n", release) == ["dist/*.tar.gz", "dist/*-none-any.whl"]


@pytest.mark.parametrize("workflow", ["release", "site", "wheels"])
def test_workflow_keeps_no_credentials_and_writes_nowhere_unless_a_job_says_so(workflow):
    steps = (ROOT / ".github" / "workflows" / f"{workflow}.yml").read_text(encoding="utf-8")
    assert steps.count("uses: actions/checkout") == steps.count("persist-credentials: false") == 1
    before_jobs = steps.partition("\njobs:")[0]
    assert re.findall(r": write", before_jobs) == []
    assert "permissions:" in before_jobs

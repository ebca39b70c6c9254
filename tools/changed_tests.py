"""Test files that concern what has changed: those that changed, and the nearest to each module.

::

    python -m pytest $(python -m tools.changed_tests)
    python -m pytest $(python -m tools.changed_tests --since v0.2.0)

What counts as changed is what differs from the last commit, or from the one that is named, and
what git does not know yet. The checks of the whole repository are always among them, since they are
short and anything may break them.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from tools.mutation_sample import nearest_tests

ALWAYS: Final = ("tests/test_architecture.py", "tests/test_project.py", "tests/test_workflows.py")
"""Checks of the whole repository."""

CORE: Final = ("tests/kernel", "tests/functor", "tests/ir/nodes")
"""What is tested of the compiled core: what it stands for."""

DOCS: Final = "tests/test_docs.py"
EXAMPLES: Final = "test_the_examples_of_a_page_do_what_it_says"
PAGES: Final = ("README.md", "CONTRIBUTING.md")
LINKS: Final = "test_the_links_of_a_page_lead_somewhere"
"""What is tested of a page of the documentation, and of the pages at the top."""

NEAREST: Final = 6
"""So many test files are run for a module that changed."""

MOST: Final = 40
"""So many in all; who changes more than they tell of runs the whole suite."""


def changed_files(root: Path, since: str) -> list[str]:
    """Return the files below ``root`` that differ from the commit, and those git does not know."""
    commands = (
        ("git", "diff", "--name-only", "--diff-filter=d", "--relative", since),
        ("git", "ls-files", "--others", "--exclude-standard"),
    )
    found: set[str] = set()
    for command in commands:
        done = subprocess.run(  # noqa: S603  # git, with a name of a commit
            command, cwd=root, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SystemExit(f"{' '.join(command)} in {root}: {done.stderr.strip()}")
        found.update(done.stdout.splitlines())
    return sorted(found)


def concerned_tests(root: Path, changed: Iterable[str]) -> list[str]:
    """Return the test files that concern files, the nearest first; at most :data:`MOST`."""
    found = dict.fromkeys(ALWAYS)
    near: list[list[str]] = []
    for path in changed:
        name = Path(path)
        if name.parts[0] == "tests" and name.name.startswith("test_") and name.suffix == ".py":
            found[path] = None
        elif name.parts[0] == "tests" and name.suffix == ".py":
            near.append(_importers(root, path))
        elif name.parts[:2] == ("relayish", "_kernel"):
            near.append([*CORE])
        elif name.parts[0] == "relayish" and name.suffix == ".py":
            near.append([file for tier in nearest_tests(root, path) for file in tier][:NEAREST])
        elif name.parts[0] == "tools" and (test := f"tests/tools/test_{name.stem}.py"):
            near.append([test] if (root / test).exists() else [])
        elif name.suffix == ".md" and (name.parts[0] == "docs" or path in PAGES):
            found[f"{DOCS}::{EXAMPLES}[{path}]"] = found[f"{DOCS}::{LINKS}"] = None
        else:
            near.append(_readers(root, name))
    for rank in range(NEAREST):  # the nearest of each module before the second nearest of any
        found.update(dict.fromkeys(files[rank] for files in near if rank < len(files)))
    return list(found)[:MOST]


def _importers(root: Path, path: str) -> list[str]:
    """Return the test files that import a module which tests share, at most so many."""
    module = ".".join(Path(path).with_suffix("").parts)
    files = sorted((root / "tests").rglob("test_*.py"))
    using = [file for file in files if module in file.read_text(encoding="utf-8")]
    return [file.relative_to(root).as_posix() for file in using[:NEAREST]]


def _readers(root: Path, data: Path) -> list[str]:
    """Return the test files that tell of a file of data, then those that tell of its folder."""
    texts = {
        file.relative_to(root).as_posix(): file.read_text(encoding="utf-8")
        for file in sorted((root / "tests").rglob("test_*.py"))
    }
    names = [data.name, f'"{data.parent.name}"', f"{data.parent.as_posix()}/"]
    using = [file for name in names for file in texts if name in texts[file]]
    return list(dict.fromkeys(using))[:NEAREST]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description="name the test files that concern what changed")
    parser.add_argument("--since", default="HEAD", help="a commit; the last one, if none is given")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    options = parser.parse_args(argv)
    print("\n".join(concerned_tests(options.root, changed_files(options.root, options.since))))
    return 0


if __name__ == "__main__":
    sys.exit(main())

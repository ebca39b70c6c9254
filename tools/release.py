"""Check what a release needs, tell what is in it, build it and try what was built.

python -m tools.release --check v0.2.0    # the tag is the version, and CHANGELOG.md tells of it
python -m tools.release --notes 0.2.0     # what CHANGELOG.md tells of a version
python -m tools.release --build dist      # sdist and wheel, checked, and tried outside of here
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from relayish._support.version import VERSION
from tools.distributions import build
from tools.links import ROOT, link_to_repository

_HEADING: Final = re.compile(r"^## (\S+) \((\d{4}-\d{2}-\d{2})\)\n", re.MULTILINE)
_VERSION: Final = re.compile(r"\d+\.\d+\.\d+")


class Section(NamedTuple):
    """What the list of changes tells of one version."""

    version: str
    date: str
    text: str


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Do what is asked; return how the process should exit."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asked = parser.add_mutually_exclusive_group(required=True)
    asked.add_argument("--check", metavar="TAG", help="say what keeps TAG from being a release")
    asked.add_argument("--notes", metavar="VERSION", help="print what is told of VERSION")
    asked.add_argument("--build", metavar="DIR", type=Path, help="put sdist and wheel into DIR")
    given = parser.parse_args(arguments)
    if given.build is not None:
        for path in build(given.build, VERSION, root):
            sys.stdout.write(f"{path}\n")
        return 0
    if given.notes is not None:
        return _tell(given.notes, root)
    faults = find_faults(given.check, root)
    for fault in faults:
        sys.stderr.write(f"{fault}\n")
    return 1 if faults else 0


def find_faults(tag: str, root: Path = ROOT, version: str = VERSION) -> list[str]:
    """Return what keeps the checkout ``root`` from being the release ``tag``."""
    faults = []
    if _VERSION.fullmatch(version) is None:
        faults.append(f"the version is {version}; expected three numbers, as 0.2.0")
    if tag != f"v{version}":
        faults.append(
            f"the tag is {tag}, and the version {version}; write the version in "
            f"relayish/_support/version.py and tag v{version}"
        )
    sections = read_sections((root / "CHANGELOG.md").read_text(encoding="utf-8"))
    if not sections or sections[0].version != version:
        found = f"begins with {sections[0].version}" if sections else "has no section"
        faults.append(
            f"CHANGELOG.md {found}; expected one of {version}; run `towncrier build`, which "
            f"writes it"
        )
    elif not sections[0].text:
        faults.append(f"CHANGELOG.md tells nothing of {version}; write what there is")
    kept = root / "tests" / "cases" / "releases" / version
    if not kept.is_dir():
        faults.append(
            f"{kept.relative_to(root)} is not there; keep a program as this release writes it, "
            f"which later ones have to read"
        )
    left = sorted(path.name for path in (root / "changelog.d").glob("*.md"))
    if left:
        faults.append(
            f"changelog.d/ has {', '.join(left)} still; run `towncrier build`, which gathers them"
        )
    return faults


def read_sections(changes: str) -> list[Section]:
    """Return the sections of a list of changes, in order."""
    _, *parts = _HEADING.split(changes)
    texts = [text.strip() for text in parts[2::3]]
    return list(map(Section, parts[::3], parts[1::3], texts))


def notes_of(version: str, root: Path = ROOT) -> str | None:
    """Return what the list of changes tells of a version, with links that lead from anywhere.

    ``None`` if it tells of no such version.
    """
    changes = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    for section in read_sections(changes):
        if section.version == version:
            return link_to_repository(section.text, root, f"v{version}", root)
    return None


def _tell(version: str, root: Path) -> int:
    notes = notes_of(version, root)
    if notes is None:
        sys.stderr.write(f"CHANGELOG.md has no section of {version}\n")
        return 1
    sys.stdout.write(f"{notes}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

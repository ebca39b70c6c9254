"""``relayish stubs``: what type checkers have to know of packages that declare something."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from relayish._support.files import replace_file
from relayish.cli.report import tell
from relayish.stubs.package import kind_stubs_of, stubs_of


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)  # where a package may stand that is not installed
    files = {Path(args.output, path): text for path, text in stubs_of(args.packages).items()}
    if args.kinds:
        files |= kind_stubs_of(args.packages)
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with replace_file(path) as file:
            file.write(text.encode())
        tell(f"{path}\n")
    return 0

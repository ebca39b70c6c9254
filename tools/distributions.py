"""Build sdist and wheel, look at them, and try the wheel where the checkout is not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tools.links import ROOT

LEFT_OUT: Final = (
    ".git",
    ".venv",
    ".*_cache",
    ".hypothesis",
    "__pycache__",
    "*.egg-info",
    "build",
    "dist",
    "site",
)
"""What a checkout has and no distribution: what was made there."""


def build(into: Path, version: str, root: Path = ROOT) -> tuple[Path, ...]:
    """Build sdist and wheel of the checkout ``root``, and put them into a folder.

    They are built from a copy, in which nothing lies that an earlier build has left. What does not
    work when tried is put nowhere.

    Returns:
        What was built.

    Raises:
        subprocess.CalledProcessError: If something does not build, or does not work.
        SystemExit: If a distribution lacks something.
    """
    with tempfile.TemporaryDirectory() as folder:
        copy, made = Path(folder, "checkout"), Path(folder, "dist")
        shutil.copytree(root, copy, ignore=shutil.ignore_patterns(*LEFT_OUT))
        _run([sys.executable, "-m", "build", "--outdir", made, copy])
        names = (f"relayish-{version}.tar.gz", f"relayish-{version}-py3-none-any.whl")
        sdist, wheel = built = [made / name for name in names]
        _run([sys.executable, "-m", "twine", "check", "--strict", *built])
        check_contents(sdist, wheel, kept_files(root))
        try_wheel(wheel, version)
        into.mkdir(parents=True, exist_ok=True)
        return tuple(Path(shutil.copy(path, into)) for path in built)


def kept_files(root: Path = ROOT) -> list[str]:
    """Return what is under version control in a checkout, and is there: an sdist has all of it.

    Raises:
        subprocess.CalledProcessError: If ``root`` is no checkout of git.
    """
    done = subprocess.run(
        ["git", "ls-files", "-z"],  # noqa: S607 - the one that made the checkout
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    )
    return [name for name in done.stdout.split("\0") if name and (root / name).exists()]


def check_contents(sdist: Path, wheel: Path, kept: Sequence[str]) -> None:
    """Refuse an sdist that lacks a kept file, and a wheel that lacks one of the package.

    The wheel holds nothing beside the package.

    Raises:
        SystemExit: If so.
    """
    with tarfile.open(sdist) as archive:
        in_sdist = {name.partition("/")[2] for name in archive.getnames()}
    in_wheel = set(zipfile.ZipFile(wheel).namelist())
    package = {name for name in kept if name.startswith("relayish/")}
    for path, lacking, place in (
        (sdist, {*kept} - in_sdist, "MANIFEST.in"),
        (wheel, package - in_wheel, "package-data in pyproject.toml"),
    ):
        if lacking:
            raise SystemExit(f"{path.name} lacks {', '.join(sorted(lacking))}; see {place}")
    tops = {name.partition("/")[0] for name in in_wheel}
    strange = sorted(top for top in tops if top != "relayish" and not top.endswith(".dist-info"))
    if strange:
        raise SystemExit(f"{wheel.name} holds {', '.join(strange)} beside relayish")


def try_wheel(wheel: Path, version: str) -> None:
    """Install a wheel into a new environment, and try it from a folder that is empty.

    First without extras, then with the one that models need.

    Raises:
        subprocess.CalledProcessError: If it does not work there.
    """
    with tempfile.TemporaryDirectory() as folder:
        environment, elsewhere = Path(folder, "environment"), Path(folder, "elsewhere")
        elsewhere.mkdir()
        venv.create(environment, with_pip=True)
        python = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
        for extra in ("", "[onnx]"):
            _run([python, "-m", "pip", "install", "-q", f"{wheel}{extra}"], elsewhere)
            _run([python, "-I", ROOT / "tools" / "smoke_test.py", version], elsewhere)


def _run(command: Sequence[str | Path], folder: Path | None = None) -> None:
    sys.stderr.write(f"== {' '.join(map(str, command))}\n")
    subprocess.run(command, check=True, cwd=folder)  # noqa: S603 - our own commands

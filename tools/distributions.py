"""Build sdist and wheels, look at them, and try the wheels where the checkout is not."""

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
    "*.so",
    "build",
    "dist",
    "site",
)
"""What a checkout has and no distribution: what was made there."""

PURE: Final = "py3-none-any.whl"
"""Ends the name of a wheel without the compiled core."""


def build(into: Path, version: str, root: Path = ROOT) -> tuple[Path, ...]:
    """Build sdist and wheels of the checkout ``root``, and put them into a folder.

    One wheel holds the compiled core, for this Python and this machine, the other none, for all.
    They are built from a copy, in which nothing lies that an earlier build has left. What does not
    work when tried is put nowhere.

    Returns:
        What was built: the sdist first, then the wheel for all.

    Raises:
        subprocess.CalledProcessError: If something does not build, or does not work.
        SystemExit: If a distribution lacks something.
    """
    with tempfile.TemporaryDirectory() as folder:
        copy, made = Path(folder, "checkout"), Path(folder, "dist")
        shutil.copytree(root, copy, ignore=shutil.ignore_patterns(*LEFT_OUT))
        _run([sys.executable, "-m", "build", "--outdir", made, copy])
        _run([sys.executable, "-m", "build", "--wheel", "--outdir", made, copy], is_pure=True)
        sdist, pure = made / f"relayish-{version}.tar.gz", made / f"relayish-{version}-{PURE}"
        wheels = (pure, *(wheel for wheel in made.glob("*.whl") if wheel != pure))
        _run([sys.executable, "-m", "twine", "check", "--strict", sdist, *wheels])
        for wheel in wheels:
            check_contents(sdist, wheel, kept_files(root))
            try_wheel(wheel)
        into.mkdir(parents=True, exist_ok=True)
        return tuple(Path(shutil.copy(path, into)) for path in (sdist, *wheels))


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

    The wheel holds nothing beside the package, and in place of the C what was compiled of it, or
    neither if it is for all machines.

    Raises:
        SystemExit: If so.
    """
    with tarfile.open(sdist) as archive:
        in_sdist = {name.partition("/")[2] for name in archive.getnames()}
    in_wheel = set(zipfile.ZipFile(wheel).namelist())
    package = {
        name for name in kept if name.startswith("relayish/") and not name.endswith((".c", ".h"))
    }
    for path, lacking, place in (
        (sdist, {*kept} - in_sdist, "MANIFEST.in"),
        (wheel, package - in_wheel, "package-data in pyproject.toml"),
    ):
        if lacking:
            raise SystemExit(f"{path.name} lacks {', '.join(sorted(lacking))}; see {place}")
    core = [name for name in in_wheel if name.startswith("relayish/_kernel/_compiled.")]
    if bool(core) == wheel.name.endswith(PURE):
        held = ", ".join(core) or "no compiled core; is there a compiler?"
        raise SystemExit(f"{wheel.name} holds {held}")
    source = sorted(name for name in in_wheel if name.endswith((".c", ".h")))
    if source:
        raise SystemExit(f"{wheel.name} holds {', '.join(source)}; see exclude-package-data")
    tops = {name.partition("/")[0] for name in in_wheel}
    strange = sorted(top for top in tops if top != "relayish" and not top.endswith(".dist-info"))
    if strange:
        raise SystemExit(f"{wheel.name} holds {', '.join(strange)} beside relayish")


def try_wheel(wheel: Path) -> None:
    """Install a wheel into a new environment, and try it from a folder that is empty.

    First without extras, then with the one that models need.

    Raises:
        subprocess.CalledProcessError: If it does not work there.
    """
    expected = "pure" if wheel.name.endswith(PURE) else "compiled"
    with tempfile.TemporaryDirectory() as folder:
        environment, elsewhere = Path(folder, "environment"), Path(folder, "elsewhere")
        elsewhere.mkdir()
        venv.create(environment, with_pip=True)
        python = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
        for extra in ("", "[onnx]"):
            _run([python, "-m", "pip", "install", "-q", f"{wheel}{extra}"], elsewhere)
            _run([python, "-I", ROOT / "tools" / "smoke_test.py", expected], elsewhere)


def _run(
    command: Sequence[str | Path], folder: Path | None = None, *, is_pure: bool = False
) -> None:
    sys.stderr.write(f"== {' '.join(map(str, command))}\n")
    environment = {**os.environ, "RELAYISH_PURE": str(int(is_pure))}
    subprocess.run(command, check=True, cwd=folder, env=environment)  # noqa: S603 - our own commands

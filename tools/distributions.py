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

from tools.links import ROOT, link_to_repository

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

    They are built from a copy, in which the links of the README lead to the tag of the release,
    for the package index shows that page by itself. What does not work when tried is put nowhere.

    Returns:
        What was built.

    Raises:
        subprocess.CalledProcessError: If something does not build, or does not work.
        SystemExit: If a distribution lacks something.
    """
    with tempfile.TemporaryDirectory() as folder:
        copy, made = Path(folder, "checkout"), Path(folder, "dist")
        shutil.copytree(root, copy, ignore=shutil.ignore_patterns(*LEFT_OUT))
        readme = (copy / "README.md").read_text(encoding="utf-8")
        readme = link_to_repository(readme, root, f"v{version}", root)
        (copy / "README.md").write_text(readme, encoding="utf-8")
        _run([sys.executable, "-m", "build", "--outdir", made, copy])
        names = (f"relayish-{version}.tar.gz", f"relayish-{version}-py3-none-any.whl")
        sdist, wheel = built = [made / name for name in names]
        _run([sys.executable, "-m", "twine", "check", "--strict", *built])
        package = [path for path in (copy / "relayish").rglob("*") if path.is_file()]
        check_contents(sdist, wheel, [path.relative_to(copy).as_posix() for path in package])
        try_wheel(wheel, version)
        into.mkdir(parents=True, exist_ok=True)
        return tuple(Path(shutil.copy(path, into)) for path in built)


def check_contents(sdist: Path, wheel: Path, package: Sequence[str]) -> None:
    """Refuse an sdist or wheel that lacks files of the package, and a wheel that holds others.

    Raises:
        SystemExit: If so.
    """
    with tarfile.open(sdist) as archive:
        in_sdist = {name.partition("/")[2] for name in archive.getnames()}
    in_wheel = set(zipfile.ZipFile(wheel).namelist())
    for path, held in ((sdist, in_sdist), (wheel, in_wheel)):
        lacking = sorted(set(package) - held)
        if lacking:
            raise SystemExit(
                f"{path.name} lacks {', '.join(lacking)}; see package-data in pyproject.toml"
            )
    tops = {name.partition("/")[0] for name in in_wheel}
    strange = sorted(top for top in tops if top != "relayish" and not top.endswith(".dist-info"))
    if strange:
        raise SystemExit(f"{wheel.name} holds {', '.join(strange)} beside relayish")


def try_wheel(wheel: Path, version: str) -> None:
    """Install a wheel into a new environment, and try it from a folder that is empty.

    Raises:
        subprocess.CalledProcessError: If it does not work there.
    """
    with tempfile.TemporaryDirectory() as folder:
        environment, elsewhere = Path(folder, "environment"), Path(folder, "elsewhere")
        elsewhere.mkdir()
        venv.create(environment, with_pip=True)
        python = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
        _run([python, "-m", "pip", "install", "-q", wheel], elsewhere)
        _run([python, "-I", ROOT / "tools" / "smoke_test.py", version], elsewhere)


def _run(command: Sequence[str | Path], folder: Path | None = None) -> None:
    sys.stderr.write(f"== {' '.join(map(str, command))}\n")
    subprocess.run(command, check=True, cwd=folder)  # noqa: S603 - our own commands

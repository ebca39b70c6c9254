"""Check the types of all examples of the documentation, as mypy and pyright see them.

python -m tools.check_docs           # each error with its page and line, then how many by kind

The code of a page is one module, as it is when somebody types it in. Examples that show an
exception are wrong on purpose, so what checkers say of their lines is counted apart. What a page
declares of its own is known by stubs, where the page says that ``relayish stubs`` writes them.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

from tools.doc_examples import Joined, joined_pages
from tools.links import ROOT

PYTHON: Final = "3.11"
_MYPY_ERROR: Final = re.compile(r"^(.*?):(\d+): error: (.*?)  \[([\w-]+)\]$", re.MULTILINE)


class Complaint(NamedTuple):
    """An error that a checker found."""

    checker: str
    page: str
    line: int
    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}: {self.checker}: {self.text} [{self.kind}]"


def check(pages: Mapping[str, Joined]) -> dict[str, list[Complaint]]:
    """Return what each checker says of the pages, those that show exceptions included."""
    with tempfile.TemporaryDirectory() as folder:
        names = {}
        for page, joined in pages.items():
            module = re.sub(r"\W", "_", f"page_{page}")
            names[module] = page
            Path(folder, f"{module}.py").write_text(joined.source, encoding="utf-8")
        _write_stubs(Path(folder), {m: pages[page] for m, page in names.items()})
        return {
            "mypy": list(_ask_mypy(Path(folder), names)),
            "pyright": list(_ask_pyright(Path(folder), names)),
        }


def _write_stubs(folder: Path, pages: Mapping[str, Joined]) -> None:
    """Write the stubs of what pages declare that tell of them, without examples that raise."""
    declaring = {module: joined for module, joined in pages.items() if joined.tells_of_stubs}
    if not declaring:
        return
    with tempfile.TemporaryDirectory() as packages:
        for module, joined in declaring.items():
            lines = [
                "" if number in joined.refused else line
                for number, line in enumerate(joined.source.splitlines(), 1)
            ]
            Path(packages, f"{module}.py").write_text("\n".join(lines), encoding="utf-8")
        options = ["stubs", *declaring, "--output", str(folder / _TYPINGS)]
        _run("relayish", options, at_most=0, PYTHONPATH=f"{packages}{os.pathsep}{ROOT}")


_TYPINGS: Final = "typings"
_INSTALLED: Final = "installed"


def _ask_mypy(folder: Path, names: Mapping[str, str]) -> Iterator[Complaint]:
    cache = ROOT / ".mypy_cache" / "pages"
    options = [
        "--config-file=",
        "--check-untyped-defs",
        f"--python-version={PYTHON}",
        "--follow-imports=silent",
        "--ignore-missing-imports",  # of packages that are not installed
        "--no-error-summary",
        "--no-pretty",
        f"--cache-dir={cache}",
    ]
    files = sorted(map(str, folder.glob("*.py")))
    path = os.pathsep.join([str(folder / _TYPINGS), str(ROOT)])
    output = _run("mypy", [*options, *files], at_most=1, MYPYPATH=path)
    for file, line, text, kind in _MYPY_ERROR.findall(output):
        yield Complaint("mypy", names[Path(file).stem], int(line), kind, text)


def _ask_pyright(folder: Path, names: Mapping[str, str]) -> Iterator[Complaint]:
    settings = {
        "include": ["."],
        "exclude": [_TYPINGS, _INSTALLED],
        "stubPath": _TYPINGS,
        "venvPath": ".",
        "venv": _INSTALLED,
        "pythonVersion": PYTHON,
        "typeCheckingMode": "standard",
        "reportMissingImports": False,  # of packages that are not installed
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    _install(folder / _INSTALLED)
    options = ["--project", str(folder), "--outputjson"]
    for found in json.loads(_run("pyright", options, at_most=1))["generalDiagnostics"]:
        if found["severity"] == "error":
            line = found["range"]["start"]["line"] + 1
            kind = found.get("rule", "syntax")
            text = found["message"].splitlines()[0]
            yield Complaint("pyright", names[Path(found["file"]).stem], line, kind, text)


def _install(environment: Path) -> None:
    """Make an environment in which relayish is installed: pyright looks for stubs before that."""
    packages = environment / "lib" / f"python{PYTHON}" / "site-packages"
    packages.mkdir(parents=True)
    (packages / "relayish").symlink_to(ROOT / "relayish", target_is_directory=True)
    others = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "others.pth").write_text("\n".join(others), encoding="utf-8")


def _run(checker: str, options: list[str], at_most: int, **variables: str) -> str:
    """Return what a checker prints; 1 is how it exits where it found errors."""
    command = [sys.executable, "-m", checker, *options]
    variables = {**os.environ, **variables}
    done = subprocess.run(  # noqa: S603
        command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False
    )
    if done.returncode > at_most:
        raise SystemExit(f"{checker} failed: {done.stdout}{done.stderr}")
    return done.stdout


def split(
    found: list[Complaint], pages: Mapping[str, Joined]
) -> tuple[list[Complaint], list[Complaint]]:
    """Return the errors, and those of lines that show exceptions."""
    on_purpose = [each for each in found if each.line in pages[each.page].refused]
    return [each for each in found if each not in on_purpose], on_purpose


def main() -> int:
    """Print what the checkers find; return how the process should exit."""
    missing = [name for name in ("mypy", "pyright") if find_spec(name) is None]
    if missing:
        sys.stderr.write(f"{' and '.join(missing)} not installed; pip install '.[dev]'\n")
        return 2
    pages = joined_pages()
    wrong = 0
    for checker, found in check(pages).items():
        errors, on_purpose = split(found, pages)
        wrong += len(errors)
        for each in sorted(errors):
            print(each)
        kinds = Counter(each.kind for each in errors)
        counted = ", ".join(f"{number} {kind}" for kind, number in kinds.most_common())
        print(
            f"{checker}: {len(errors)} errors in {len({each.page for each in errors})} of "
            f"{len(pages)} pages{f': {counted}' * bool(counted)}; {len(on_purpose)} more where "
            f"an exception is shown"
        )
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())

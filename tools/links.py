"""Links of pages that are read elsewhere than in the repository: where they lead from there."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent
BRANCH: Final = "main"

_CODE_OR_LINK: Final = re.compile(
    r"^```.*?^```$"  # a block of code
    r"|(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)"  # code in a line
    r"|\]\((?P<target>[^)#:\s]+)(?P<anchor>#[^)]*)?\)",
    re.MULTILINE | re.DOTALL,
)


def replace_links(text: str, replace: Callable[[str], str]) -> str:
    """Return a page with ``replace(target)`` for each link that leads to a file.

    Links within the page, and whole addresses, stay, as does what stands in code.

    Example:
        >>> replace_links("[a](b.md#c), `[a](b.md)`", lambda target: f"https://x/{target}")
        '[a](https://x/b.md#c), `[a](b.md)`'
    """

    def rewritten(found: re.Match[str]) -> str:
        target = found["target"]
        return found[0] if target is None else f"]({replace(target)}{found['anchor'] or ''})"

    return _CODE_OR_LINK.sub(rewritten, text)


def link_to_repository(text: str, folder: Path, at: str, root: Path = ROOT) -> str:
    """Return a page of ``folder`` in which links to files lead to the repository on the web.

    Args:
        text: The page.
        folder: The one it stands in, below ``root``.
        at: A branch or tag.
        root: The checkout.
    """
    return replace_links(text, lambda target: repository_url((folder / target).resolve(), at, root))


def repository_url(path: Path, at: str, root: Path = ROOT) -> str:
    """Return where a file or folder of the checkout ``root`` stands on the web, at a branch or tag.

    Raises:
        FileNotFoundError: If it is not there.
    """
    if not path.exists():
        raise FileNotFoundError(f"a link leads to {path}, which is not there")
    sort = "tree" if path.is_dir() else "blob"
    return f"{homepage(root)}/{sort}/{at}/{path.relative_to(root.resolve()).as_posix()}"


def own_file(address: str, root: Path = ROOT) -> Path | None:
    """Return which file of the checkout is shown at an address of the project on the web.

    Returns:
        A page of ``docs/`` for one of the site, and what the repository has for one of its main
        branch, whether it is there or not; ``None`` for an address of somebody else's.

    Example:
        >>> own_file(f"{documentation()}how-to/add_a_pass/#options").relative_to(ROOT).as_posix()
        'docs/how-to/add_a_pass.md'
    """
    address = address.partition("#")[0]
    for sort in ("blob", "tree"):
        if address.startswith(start := f"{homepage(root)}/{sort}/{BRANCH}/"):
            return root / address.removeprefix(start)
    if not address.startswith(documentation(root)):
        return None
    page = address.removeprefix(documentation(root))
    if page and not page.endswith("/"):
        return root / "docs" / page  # a picture
    return root / "docs" / f"{page.removesuffix('/') or 'index'}.md"


def homepage(root: Path = ROOT) -> str:
    """Return the address of the repository, as the distribution tells it."""
    return _addresses(root)["Homepage"]


def documentation(root: Path = ROOT) -> str:
    """Return the address of the site, as the distribution tells it, with a slash at its end."""
    return _addresses(root)["Documentation"]


@cache
def _addresses(root: Path) -> dict[str, str]:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    addresses: dict[str, str] = project["project"]["urls"]
    return addresses

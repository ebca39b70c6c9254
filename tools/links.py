"""Links of pages that are read elsewhere than in the repository: where they lead from there."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent

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


def homepage(root: Path = ROOT) -> str:
    """Return the address of the repository, as the distribution tells it."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    address: str = project["project"]["urls"]["Homepage"]
    return address

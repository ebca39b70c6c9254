"""Keys of boxes: paths of names, which find a box again in another picture of the same program."""

from __future__ import annotations

import hashlib
from typing import Final

LONGEST_KEY: Final = 240


def join_key(path: str, name: str) -> str:
    """Return the key of what has a name below a path; where it were long, a digest of it.

    Example:
        >>> join_key("@main", "if"), len(join_key("a" * 10_000, "if"))
        ('@main/if', 28)
    """
    key = f"{path}/{name}" if path else name
    if len(key) <= LONGEST_KEY:
        return key
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
    return f"…{digest[:24]}/{name[: LONGEST_KEY // 4]}"

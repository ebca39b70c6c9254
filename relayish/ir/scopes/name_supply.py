"""Fresh names: each is given once."""

from __future__ import annotations

from collections.abc import Iterable


class NameSupply:
    """Gives names that nobody has: ``f``, then ``f_1``, ``f_2``.

    Args:
        prefix: What every name begins with, and an underscore; none if it is empty.
        taken: Names that somebody has, as they are.

    Complexity:
        Constant for each name, unless names that are taken look like those that are given.

    Source:
        TVM ``NameSupply``.

    Example:
        >>> names = NameSupply("lib")
        >>> names.reserve_name("conv")
        'lib_conv'
        >>> names.fresh_name("conv"), names.fresh_name("nn.conv", add_prefix=False)
        ('lib_conv_1', 'nn_conv')
        >>> names.contains_name("conv"), names.contains_name("conv", add_prefix=False)
        (True, False)
    """

    __slots__ = ("_last", "prefix")

    def __init__(self, prefix: str = "", taken: Iterable[str] = ()) -> None:
        self.prefix = prefix
        self._last = dict.fromkeys(taken, 0)
        """Each name that is taken, and the last number given behind it."""

    def fresh_name(self, name: str, add_prefix: bool = True, add_underscore: bool = True) -> str:
        """Return a name made from ``name`` that nobody has, and take it.

        Dots become underscores. A number is added where the name is taken, behind an underscore
        unless ``add_underscore`` is false.
        """
        wanted = self._complete(name, add_prefix).replace(".", "_")
        found, last = wanted, self._last
        between = "_" if add_underscore else ""
        while found in last:
            last[wanted] += 1
            found = f"{wanted}{between}{last[wanted]}"
        last[found] = 0
        return found

    def reserve_name(self, name: str, add_prefix: bool = True) -> str:
        """Take ``name``, whether or not somebody has it; return it with the prefix."""
        reserved = self._complete(name, add_prefix)
        self._last.setdefault(reserved, 0)
        return reserved

    def contains_name(self, name: str, add_prefix: bool = True) -> bool:
        """Tell whether ``name`` is taken."""
        return self._complete(name, add_prefix) in self._last

    def _complete(self, name: str, add_prefix: bool) -> str:
        return f"{self.prefix}_{name}" if add_prefix and self.prefix else name

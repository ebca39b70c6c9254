"""A tree of nested scopes, and the innermost scope that two of them have in common.

A node that is shared between several places of a program belongs to the scope that all of them
lie in. The tree keeps, beside each scope's parent, a further scope to skip to (Myers' skew-binary
pointers), so that a common scope is found in logarithmic time however deep the nesting.
"""

from __future__ import annotations


class ScopeTree:
    """Scopes by number; 0 is the outermost."""

    __slots__ = ("depth", "parent", "skip")

    def __init__(self) -> None:
        self.parent = [0]
        self.skip = [0]
        self.depth = [0]

    def open(self, parent: int) -> int:
        """Return a new scope directly inside ``parent``; constant time."""
        skip, depth = self.skip, self.depth
        near = skip[parent]
        far = skip[near]
        level = depth[parent]
        even = level - depth[near] == depth[near] - depth[far]
        self.parent.append(parent)
        skip.append(far if even else parent)
        depth.append(level + 1)
        return len(depth) - 1

    def find_common_ancestor(self, one: int, other: int) -> int:
        """Return the innermost scope that contains both; logarithmic in their depth.

        Example:
            >>> tree = ScopeTree()
            >>> left, right = tree.open(0), tree.open(0)
            >>> tree.find_common_ancestor(left, right)
            0
            >>> tree.find_common_ancestor(left, tree.open(left))
            1
        """
        parent, skip, depth = self.parent, self.skip, self.depth
        if depth[one] < depth[other]:
            one, other = other, one
        level = depth[other]
        while depth[one] > level:
            far = skip[one]
            one = far if depth[far] >= level else parent[one]
        while one != other:
            if skip[one] != skip[other]:
                one, other = skip[one], skip[other]
            else:
                one, other = parent[one], parent[other]
        return one

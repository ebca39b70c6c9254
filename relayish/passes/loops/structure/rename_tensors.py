"""Renaming of tensors: all uses of one at once, so that names stay unique.

Before, with two tensors called ``A``, on the buffers ``_A`` and ``_B``::

    A[i] = A[i]

After::

    A_0[i] = A[i]
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from relayish.errors import PassError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.equality.structural_hash import structural_hash
from relayish.ir.nodes.node import Node
from relayish.pass_infra import register_pass
from relayish.passes.loops.structure.unique_names import UniqueNames
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.tensor import Buffer, Tensor, Var
from relayish.tir.ir.traversal import NODES


def rename_tensors(func: LoweredFunc, names: Mapping[str, str]) -> LoweredFunc:
    """Return ``func`` with other names for its tensors, wherever these are used.

    Args:
        func: A function in which different tensors have different names.
        names: The new name of each tensor by its old one. Those that no tensor has are left out.

    Returns:
        ``func`` itself when no tensor has one of the old names.

    Raises:
        PassError: If two tensors would have one name.

    Complexity:
        Linear in the number of distinct nodes; no recursion.
    """
    tensors = [node for node in NODES.post_order(func) if isinstance(node, Tensor)]
    owners: dict[str, str] = {}
    for old in dict.fromkeys([tensor.name for tensor in tensors]):
        new = names.get(old, old)
        other = owners.setdefault(new, old)
        if other != old:
            raise PassError(
                f"tensors {other!r} and {old!r} of {func.name} would both be called {new!r}; give "
                f"them different names"
            )
    images = {tensor: names.get(tensor.name, tensor.name) for tensor in tensors}
    return _rename(func, images)


@register_pass("RenameTensors", opt_level=0, idempotent=True)
def rename_tensors_uniquely(func: LoweredFunc) -> LoweredFunc:
    """Renaming of tensors: give each a name that no other tensor has, at all its uses at once.

    Of tensors that share a name the first keeps it. What is equal, and looks at the same buffer, is
    one tensor, however often it was built. :func:`rename_tensors` gives names that one chooses.

    Returns:
        ``func`` itself when the names of its tensors are unique.

    Complexity:
        Linear in the number of distinct nodes; no recursion.
    """
    order = NODES.post_order(func)
    tensors = [node for node in order if isinstance(node, Tensor)]
    if len({tensor.name for tensor in tensors}) == len(tensors):
        return func
    names = UniqueNames([node.name for node in order if isinstance(node, (Var, Buffer))])
    known: dict[object, list[tuple[Tensor, str]]] = {}
    images: dict[Tensor, str] = {}
    for tensor in tensors:
        same = known.setdefault((tensor.name, tensor.buffer, structural_hash(tensor)), [])
        found = [name for other, name in same if structural_equal(other, tensor)]
        if not found:
            found = [names.take(tensor.name)]
            same.append((tensor, found[0]))
        images[tensor] = found[0]
    return _rename(func, images)


def _rename(func: LoweredFunc, names: Mapping[Tensor, str]) -> LoweredFunc:
    images: dict[Node, Node] = {}
    get, table = images.get, NODES.rebuild
    for node in NODES.post_order(func):
        image = table[type(node)](node, get)
        if isinstance(node, Tensor):
            image = image.with_fields(name=names[node])
        if image is not node:
            images[node] = image
    return cast("LoweredFunc", get(func, func))

"""Storage rewriting: temporaries that are not needed at one time share memory.

Before::

    serial for (i, 0, 16)
    {
      S[i] = (A[i] * 2)
    }
    serial for (i, 0, 16)
    {
      B[i] = S[(15 - i)]
    }
    serial for (i, 0, 8)
    {
      T[i] = (B[i] + 1)
    }
    serial for (i, 0, 8)
    {
      C[i] = T[(7 - i)]
    }

After, where ``T`` looks at the memory of ``S``::

    serial for (i, 0, 8)
    {
      T[i] = (B[i] + 1)
    }
"""

from __future__ import annotations

import math

import numpy as np

from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.pass_infra import register_pass
from relayish.tir.analysis.regions.filled import same_size, stored_first
from relayish.tir.analysis.regions.lifetimes import Lifetimes
from relayish.tir.analysis.regions.reached import nodes_reached
from relayish.tir.interpreter.access import constant
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.tensor import Buffer, Load, Store, Tensor
from relayish.tir.substitution import substitute


@register_pass("StorageRewrite", opt_level=2, idempotent=True)
def rewrite_storage(func: LoweredFunc) -> LoweredFunc:
    """Storage rewriting: let temporaries share memory that are not needed at one time.

    Two are apart if one is used last before the other is stored to first: in the function, in an
    arm of a branch, or in an iteration of a serial loop that needs nothing of those before. The
    larger one's memory serves both. All elements of each are stored before one is read, so nothing
    is found of another, and what would have been an error is one still. Elements are of one type,
    and of sizes that are known, or the same. Buffers that statements allocate or free, that have
    strides, and that something else than loads and stores is given, keep memory of their own.

    Returns:
        ``func`` itself when no two temporaries share.

    Complexity:
        That of :class:`~relayish.tir.analysis.regions.lifetimes.Lifetimes`, and of the number of
        temporaries times those that are left.

    Source:
        TVM ``StorageRewrite``; Fabri, "Automatic storage optimization".
    """
    buffers = _candidates(func)
    if len(buffers) < 2:
        return func
    lifetimes = Lifetimes(func.body, buffers)
    order = sorted(buffers, key=_known_count, reverse=True)
    serving: list[Buffer] = []
    number = np.zeros(len(order), np.int64)
    hosts: dict[Buffer, Buffer] = {}
    for at, beside in enumerate(lifetimes.needed_beside(order)):
        buffer, taken = order[at], set(number[:at][beside].tolist())
        free = (each for each in range(len(serving)) if each not in taken)
        number[at] = next((each for each in free if _fits(buffer, serving[each])), len(serving))
        if number[at] == len(serving):
            serving.append(buffer)
        else:
            hosts[buffer] = serving[number[at]]
    if not hosts:
        return func
    images: dict[Node, Node] = {}
    for each in PROGRAM.pre_order(func.body):
        if isinstance(each, Tensor) and each.buffer in hosts:
            images[each] = each.with_fields(buffer=hosts[each.buffer])
    kept = tuple([each for each in func.temp_bufs if each not in hosts])
    return func.with_fields(body=substitute(func.body, images), temp_bufs=kept)


def _candidates(func: LoweredFunc) -> list[Buffer]:
    """Return the temporaries that may share memory: loads and stores alone use them."""
    full = stored_first(func, lambda _call, _buffer: False)
    plain = set(PROGRAM.pre_order(func.body))
    other: set[Node] = set()
    for each in nodes_reached(func.body):
        for child in PROGRAM.children(each):
            memory = child.buffer if isinstance(child, Tensor) else child
            is_access = isinstance(each, (Load, Store)) and child is each.tensor
            if isinstance(memory, Buffer) and not (is_access or isinstance(each, Tensor)):
                other.add(memory)
        if isinstance(each, Tensor) and isinstance(each.buffer, Buffer) and each not in plain:
            other.add(each.buffer)
    return [each for each in func.temp_bufs if each in full and each not in other]


def _known_count(buffer: Buffer) -> int:
    """Return how many elements a buffer has; 0 where that is not known."""
    sizes = [constant(size) for size in buffer.shape]
    return math.prod([size or 0 for size in sizes])


def _fits(guest: Buffer, host: Buffer) -> bool:
    """Return whether the memory of one buffer serves as that of another."""
    as_host = guest.with_fields(name=host.name, shape=host.shape, span=host.span)
    alike = all(getattr(as_host, f.name) == getattr(host, f.name) for f in Buffer.fields_)
    if not alike:
        return False
    if len(guest.shape) == len(host.shape) and all(map(same_size, guest.shape, host.shape)):
        return True
    return 0 < _known_count(guest) <= _known_count(host)

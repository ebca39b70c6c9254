"""Programs of the loop IR with copies of variables, made of others that compute the same."""

from __future__ import annotations

import random
from typing import Any

from relayish import tir
from relayish.ir.nodes.node import Node
from relayish.tir import LoweredFunc
from relayish.tir.ir.traversal import STATEMENTS
from relayish.tir.substitution import replace


def with_copies(func: LoweredFunc, seed: object) -> LoweredFunc:
    """Return ``func`` with copies of the variables of its serial loops, used in their bodies.

    Some are stored to again, on all paths or on some, with the same value or with one that is put
    right before it is used.
    """
    draw = random.Random(f"copies {seed}")
    images: dict[Node, Any] = {}
    for stmt in STATEMENTS.post_order(func):
        rebuild = STATEMENTS.rebuild[type(stmt)]
        image = stmt if rebuild is None else rebuild(stmt, images.get)
        if isinstance(image, tir.For) and image.for_type is tir.ForType.SERIAL:
            image = image.with_fields(body=_copied(image, draw))
        images[stmt] = image
    return images[func]


def _copied(loop: tir.For, draw: random.Random) -> tir.Stmt:
    var, copy, other = loop.loop_var, loop.loop_var.with_fields(name="copy"), None
    before: list[tir.Stmt] = [tir.Let(copy, var)]
    used = copy
    if draw.random() < 0.5:
        other = var.with_fields(name="other")
        before.append(tir.Let(other, copy))
        used = other
    if draw.random() < 0.3:
        before.append(tir.IfThenElse(var < 2, tir.Store(copy, other or var)))
    if draw.random() < 0.3:
        before += [tir.Store(copy, tir.const(7, var.dtype)), tir.Store(copy, other or var)]
    if draw.random() < 0.3 and other is not None:
        before += [tir.Store(copy, tir.const(7, var.dtype))]
    if draw.random() < 0.3:
        used = draw.choice((used, var))
    body = replace(loop.body, {var: used})
    after = [tir.Store(copy, var + 1)] if draw.random() < 0.2 else []
    return tir.Block((*before, body, *after))

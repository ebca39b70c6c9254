"""Lifetimes end where values are used last."""

from __future__ import annotations

from itertools import pairwise

import pytest

import relayish as relay
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.relay.expr import Call, Function, Let, Var
from relayish.op import get_op
from relayish.transform import ManifestLifetimes
from tests.support.depth import DEPTH
from tests.support.typed_text import program

CPU = "VirtualDevice{device_type_int=1, virtual_device_id=0}"
GPU = "VirtualDevice{device_type_int=2, virtual_device_id=0}"


def check(before: str, after: str) -> None:
    found = ManifestLifetimes()(program(before))
    assert_structural_equal(found, program(after), map_free_vars=True)
    assert ManifestLifetimes()(found) is found


def test_copy_to_the_same_device_is_another_name_and_to_another_none():
    same = f"src_virtual_device={CPU}, dst_virtual_device={CPU}"
    other = f"src_virtual_device={CPU}, dst_virtual_device={GPU}"
    check(
        f"def @main(%p: int32) {{ let %a = device_copy(%p, {same}); let %b = negative(%a); %b }}",
        "def @main(%p: int32) { let %b = negative(%p); let %k1 = memory.kill(%p); %b }",
    )
    check(
        f"def @main(%p: int32) {{ let %a = device_copy(%p, {other}); let %b = negative(%a); %b }}",
        f"""def @main(%p: int32) {{ let %a = device_copy(%p, {other}); let %k1 = memory.kill(%p);
        let %b = negative(%a); let %k2 = memory.kill(%a); %b }}""",
    )


def test_marks_around_values_are_looked_through():
    mark = f"virtual_device={CPU}, constrain_result=True"
    text = f"""def @main(%p: int32) {{ let %a = on_device(negative(%p), {mark}); KILL
      let %r = on_device(if (cast(%a, dtype="bool")) {{ %a }} else {{ 1 }}, {mark}); %r }}"""
    check(text.replace("KILL", ""), text.replace("KILL", "let %k = memory.kill(%p);"))


@pytest.mark.deep
def test_chain_of_lets_is_killed_link_by_link():
    depth = min(DEPTH, 20_000)
    names = [Var("x"), *[Var("y") for _ in range(depth)]]
    body: relay.Expr = names[-1]
    for one, other in reversed(list(pairwise(names))):
        body = Let(other, Call(get_op("negative"), (one,)), body)
    func = ManifestLifetimes()(relay.IRModule.from_expr(Function((names[0],), body)))["main"]
    tail, killed = func.body, []
    while type(tail) is Let:
        if tail.value.op is get_op("memory.kill"):
            killed.append(tail.value.args[0])
        tail = tail.body
    assert killed == names[:-1]

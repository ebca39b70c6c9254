"""Lifetimes end where values are used last."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import relayish as relay
from relayish.interpreter import evaluate
from relayish.ir.relay.expr import Call, Function, Let, Var
from relayish.ir.structural_equal import assert_structural_equal
from relayish.op import get_op
from relayish.transform import ManifestLifetimes
from tests.support.depth import DEPTH

LIST = "type List[A] { Cons(A, List[A]), Nil, }\n"
CPU = "VirtualDevice{device_type_int=1, virtual_device_id=0}"
GPU = "VirtualDevice{device_type_int=2, virtual_device_id=0}"


def read(text: str) -> relay.IRModule:
    return relay.parse(f'#[version = "0.0.5"]\n{text}')


def check(before: str, after: str) -> None:
    found = ManifestLifetimes()(read(before))
    assert_structural_equal(found, read(after), map_free_vars=True)
    assert ManifestLifetimes()(found) is found


def test_value_is_killed_behind_its_last_use():
    check(
        """def @main(%p: int32) {
          let %a = multiply(%p, %p); let %b = subtract(%a, %p); let %c = negative(%b); %c }""",
        """def @main(%p: int32) {
          let %a = multiply(%p, %p); let %b = subtract(%a, %p);
          let %k1 = memory.kill(%a); let %k2 = memory.kill(%p);
          let %c = negative(%b); let %k3 = memory.kill(%b); %c }""",
    )


def test_branches_kill_what_only_they_use_last():
    check(
        """def @main(%p: int32) {
          let %c = cast(%p, dtype="bool");
          let %r = (if (%c) { let %a = add(%p, %p); let %b = negative(%a); %b } else { %p });
          %r }""",
        """def @main(%p: int32) {
          let %c = cast(%p, dtype="bool");
          let %r = (if (%c) {
            let %a = add(%p, %p); let %k1 = memory.kill(%p);
            let %b = negative(%a); let %k2 = memory.kill(%a); %b } else { %p });
          let %k3 = memory.kill(%c);
          %r }""",
    )


def test_value_used_behind_branches_lives_through_them():
    check(
        """def @main(%c: bool, %p: int32) {
          let %r = (if (%c) { let %a = negative(%p); %a } else { let %b = add(%p, %p); %b });
          let %s = add(%r, %p); %s }""",
        """def @main(%c: bool, %p: int32) {
          let %r = (if (%c) { let %a = negative(%p); %a } else { let %b = add(%p, %p); %b });
          let %k1 = memory.kill(%c);
          let %s = add(%r, %p); let %k2 = memory.kill(%r); let %k3 = memory.kill(%p); %s }""",
    )


def test_value_used_behind_a_branch_in_a_branch_lives_through_it():
    check(
        """def @main(%c: bool, %d: bool, %p: int32) {
          let %r = (if (%c) {
            let %i = (if (%d) { let %a = negative(%p); %a } else { %p });
            let %j = add(%i, %p); %j } else { %p });
          %r }""",
        """def @main(%c: bool, %d: bool, %p: int32) {
          let %r = (if (%c) {
            let %i = (if (%d) { let %a = negative(%p); %a } else { %p });
            let %k1 = memory.kill(%d);
            let %j = add(%i, %p); let %k2 = memory.kill(%i); let %k3 = memory.kill(%p);
            %j } else { %p });
          let %k4 = memory.kill(%c);
          %r }""",
    )


def test_what_is_matched_is_killed_behind_the_match():
    check(
        LIST
        + """def @main(%p: int32) {
          let %l: List[int32] = Nil;
          let %r = (match (%l) {
            Cons(%h, %t) => { let %a = add(%p, %h); let %b = negative(%a); %b },
            Nil => { 1 } });
          %r }""",
        LIST
        + """def @main(%p: int32) {
          let %l: List[int32] = Nil;
          let %r = (match (%l) {
            Cons(%h, %t) => {
              let %a = add(%p, %h); let %k1 = memory.kill(%p); let %k2 = memory.kill(%h);
              let %b = negative(%a); let %k3 = memory.kill(%a); %b },
            Nil => { 1 } });
          let %k4 = memory.kill(%l);
          %r }""",
    )


def test_other_names_of_a_value_go():
    check(
        """def @main(%p: int32) { let %a = %p; let %b = %a; let %c = add(%a, %b); %c }""",
        """def @main(%p: int32) { let %c = add(%p, %p); let %k1 = memory.kill(%p); %c }""",
    )


def test_pattern_that_names_the_whole_is_another_name():
    check(
        """def @main(%p: int32) {
          let %r = (match (%p) { %q => { let %a = negative(%q); let %b = add(%a, %q); %b } });
          %r }""",
        """def @main(%p: int32) {
          let %r = (match (%p) { %q => { let %a = negative(%p); let %b = add(%a, %p);
            let %k1 = memory.kill(%a); let %k2 = memory.kill(%p); %b } }); %r }""",
    )


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


def test_values_that_functions_capture_are_not_killed():
    text = """def @main(%p: int32, %q: int32) {
      let %a = negative(%p); KILL
      let %f = fn (%u: int32) { let %v = add(%u, %a); INNER let %w = add(%v, %v); LAST %w };
      let %r = %f(%q); OUTER
      let %s = add(%r, %a); END %s }"""
    kills = {"KILL": "p", "INNER": "u", "LAST": "v", "OUTER": "f q", "END": "r"}
    after = text
    for word, names in kills.items():
        lets = " ".join(f"let %k_{name} = memory.kill(%{name});" for name in names.split())
        after = after.replace(word, lets)
    for word in kills:
        text = text.replace(word, "")
    check(text, after)


def test_value_returned_or_never_used_is_not_killed():
    text = "def @main(%p: int32, %q: int32) { let %a = negative(%p); KILL let %b = exp(2f); %a }"
    check(text.replace("KILL", ""), text.replace("KILL", "let %k = memory.kill(%p);"))


def test_program_without_lets_stays_the_same_object():
    mod = read("def @main(%p: int32) { add(%p, negative(%p)) }")
    assert ManifestLifetimes()(mod) is mod


def test_value_stays_what_it_is():
    mod = read("""def @main(%c: bool, %p: int32) {
      let %a = %p; let %r = (if (%c) { let %b = negative(%a); %b } else { %p });
      let %s = add(%r, %a); %s }""")
    args = [True, np.int32(3)]
    out = ManifestLifetimes()(mod)
    assert evaluate(out["main"], out, args) == evaluate(mod["main"], mod, args)


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

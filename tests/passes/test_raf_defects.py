"""What RAF gets wrong, and relayish must not.

The first line of each test says what RAF does. Defects that are those of one pass alone are in the
tests of that pass, under names that begin like these: ``test_raf_defect_``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

from relayish.analysis import well_formed
from relayish.analysis.infer_type import infer_type
from relayish.errors import TypeInferenceError
from relayish.interpreter import evaluate
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.equality.structural_hash import structural_hash
from relayish.ir.relay.expr import Call, Expr, Function, Let, Op, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import scalar_type
from relayish.passes.relay.fold.bind import substitute
from relayish.transform import (
    FunctionPass,
    ModulePass,
    PassContext,
    PassInfo,
    Sequential,
    get_pass,
    register_pass,
)
from tests.support.each import each
from tests.support.languages_of_passes import RELAY_PASSES
from tests.support.standing import REFUSES, made_for
from tests.support.typed_text import program

INT = scalar_type("int32")
TESTS = Path(__file__).parent.parent
add = intern_op("add")


VARIED = """
def @double(%n: int32) -> int32 { add(%n, %n) }
def @down(%n: int32) -> int32 { if (less(%n, 1)) { 0 } else { @down(subtract(%n, 1)) } }
def @main(%c: bool, %x: int32) -> int32 {
  let %f = fn (%a: int32) -> int32 { multiply(add(%a, %x), 2) };
  let %t = (%f(%x), @double(add(1, 2)));
  let %u = if (%c) { add(%t.0, @down(3)) } else { multiply(%t.1, %x) };
  let %unused = add(%u, %u);
  subtract(%u, multiply(add(%u, %x), 2))
}
"""


@each("name", RELAY_PASSES)
def test_raf_defect_no_pass_changes_the_module_it_is_given(name: str) -> None:
    """RAF's ToANormalForm, LambdaLift and FullInline add to, and remove from, their input."""
    mod = infer_type(program(VARIED))
    functions, hashed = dict(mod.functions), structural_hash(mod)
    with PassContext(opt_level=4, config={"testing.immutable_module": True}):
        for pass_ in made_for(name, mod):
            try:
                pass_(mod)
            except REFUSES.get(name, ()):
                continue
    assert all(mod.functions[key] is func for key, func in functions.items())
    assert len(mod) == len(functions)
    assert structural_hash(mod) == hashed


class Squares(FunctionPass):
    """Returns the square of what a function returns; expects types, and looks at one."""

    info = PassInfo("Squares", 0, infer_types=True)

    def transform_function(self, func: Function, mod: IRModule, ctx: PassContext) -> Function:
        body = func.body
        assert body.checked_type is not None
        square = Call(intern_op("multiply"), (body, body), span=body.span)
        return func.with_fields(body=square, ret_type=None)


def test_raf_defect_what_a_function_pass_returns_is_typed() -> None:
    """RAF's function passes infer no types, neither before nor after."""
    out = Squares()(program("def @main(%x: int32) -> int32 { add(%x, 1) }"))
    untyped = [
        node
        for node in EXPRESSIONS.pre_order(out["main"].body)
        if isinstance(node, Expr) and type(node) is not Op and node.checked_type is None
    ]
    assert untyped == []


def test_raf_defect_what_is_wrong_with_a_result_is_told_with_its_place() -> None:
    """RAF's function passes render no diagnostics: errors come out somewhere later, or never."""
    mod = program("def @main(%x: int32) {\n  (%x, %x)\n}")
    with pytest.raises(TypeInferenceError, match=r"multiply") as caught:
        Squares()(mod)
    notes = "\n".join(caught.value.__notes__)
    assert "found while typing what the pass returned" in notes
    assert "in pass Squares" in notes
    assert "3:" in f"{caught.value}{notes}"  # the line of the tuple


def _logged(log: list[str], name: str, required: tuple[str, ...]) -> None:
    @register_pass(opt_level=0, name=name, required=required)
    class Logged(ModulePass):
        def transform_module(self, mod: IRModule, ctx: PassContext) -> IRModule:
            log.append(name)
            return mod


@pytest.mark.usefixtures("declarations")
def test_raf_defect_what_a_requirement_requires_runs_before_it() -> None:
    """RAF runs what a pass requires, but not what that requires in turn."""
    log: list[str] = []
    _logged(log, "Ground", ())
    _logged(log, "Middle", ("Ground",))
    _logged(log, "Top", ("Middle",))
    Sequential(["Top"])(program("def @main(%x: int32) { %x }"))
    assert log == ["Ground", "Middle", "Top"]


@pytest.mark.usefixtures("declarations")
def test_raf_defect_a_requirement_several_have_runs_once_for_a_pass() -> None:
    """RAF runs every requirement each time it is named, and remembers nothing."""
    log: list[str] = []
    _logged(log, "Ground", ())
    _logged(log, "Left", ("Ground",))
    _logged(log, "Right", ("Ground", "Left"))
    _logged(log, "Top", ("Left", "Right", "Ground"))
    Sequential(["Top"])(program("def @main(%x: int32) { %x }"))
    assert log == ["Ground", "Left", "Right", "Top"]


def test_raf_defect_types_that_are_known_are_not_inferred_again() -> None:
    """RAF infers all types anew before each pass that requires them."""
    typed = get_pass("InferType")(program(VARIED))
    assert get_pass("InferType")(typed) is typed
    with PassContext(opt_level=4):
        out = Sequential(["EliminateCommonSubexpr", "FastMath", "FuseOps"])(typed)
    again = get_pass("InferType")(out)
    assert again is out


LIFTED = {
    "calls a local closure": """
        def @main(%c: bool, %x: int32) -> int32 {
          let %f = fn (%n: int32) -> int32 { add(%n, %x) };
          if (%c) { %f(3) } else { add(%f(4), 1) }
        }
    """,
    "is a call of a global function": """
        def @f(%x: int32) -> int32 { multiply(%x, 3) }
        def @main(%c: bool, %x: int32) -> int32 { if (%c) { @f(%x) } else { %x } }
    """,
}


@pytest.mark.parametrize("what", LIFTED)
def test_raf_defect_branches_are_lifted_that(what: str) -> None:
    """RAF's LiftBranchBody ends the process on a branch of this kind."""
    mod = program(LIFTED[what])
    out = get_pass("LiftBranchBody")(mod)
    assert all(well_formed(func) for func in out.functions.values())
    for cond in (True, False):
        expected = evaluate(mod["main"], mod, (cond, 5))
        assert evaluate(out["main"], out, (cond, 5)) == expected


def test_raf_defect_what_is_put_in_is_not_captured() -> None:
    """RAF's Substitute lets a binder inside take hold of what was free in the value."""
    outer, x, inner = Var("y", INT), Var("x", INT), Var("y", INT)
    expr = Let(inner, Call(add, (x, x)), Call(add, (x, inner)))
    image = substitute(expr, {x: inner})
    assert well_formed(image)
    (free,) = {node for node in EXPRESSIONS.pre_order(image) if node is inner}
    assert free is inner
    assert image.var is not inner
    assert_structural_equal(
        substitute(image, {inner: outer}), substitute(expr, {x: outer}), map_free_vars=False
    )


def test_raf_defect_a_circle_of_calls_keeps_nothing_else_from_being_inlined() -> None:
    """RAF's FullInline warns, and inlines nothing at all, when any function is recursive."""
    mod = program(VARIED)
    out = get_pass("FullInline")(mod)
    assert "double" not in out
    assert "down" in out
    assert evaluate(out["main"], out, (True, 4)) == evaluate(mod["main"], mod, (True, 4))


def _dropped(tree: ast.AST, is_comparison: Callable[[str], bool]) -> list[int]:
    """Return the lines of statements that compare and do nothing with what comes out."""
    found: list[int] = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Expr) or not isinstance(node.value, (ast.Call, ast.Compare)):
            continue
        if isinstance(node.value, ast.Compare):
            found.append(node.lineno)
            continue
        func = node.value.func
        name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
        if is_comparison(name):
            found.append(node.lineno)
    return found


def _is_comparison(name: str) -> bool:
    return name in {"structural_equal", "same_value", "well_formed", "allclose", "array_equal"}


@pytest.mark.slow("reads every test")
def test_raf_defect_4_no_test_compares_and_forgets_to_assert() -> None:
    """RAF's test_pass_bind.py calls structural_equal and drops the answer."""
    assert _dropped(ast.parse("structural_equal(a, b)\na.well_formed(b)\na == b"), _is_comparison)
    dropped = {
        f"{path.relative_to(TESTS)}:{line}"
        for path in TESTS.rglob("*.py")
        for line in _dropped(ast.parse(path.read_text()), _is_comparison)
    }
    assert dropped == set()

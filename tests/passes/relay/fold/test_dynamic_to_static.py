"""Sizes that come as arguments become attributes where they are constant."""

from __future__ import annotations

import numpy as np
import pytest

import relayish as relay
from relayish.analysis.infer_type import infer_type
from relayish.errors import TypeInferenceError
from relayish.interpreter import evaluate
from relayish.ir.relay.build import const, var
from relayish.ir.relay.expr import Call, Constant, Expr, Function, Let, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.op.builders.builder import op
from relayish.op.declaration.registry import get_op, list_ops
from relayish.passes.relay.fold import dynamic_to_static as subject
from relayish.passes.relay.fold.dynamic_to_static import dynamic_to_static
from relayish.passes.relay.fold.static_rules import find_static_call
from relayish.passes.relay.rewrite.rules import retyping
from relayish.text import astext
from relayish.transform import DynamicToStatic
from tests.support.each import each
from tests.support.random_exprs import same_value
from tests.support.random_sizes import random_sizes
from tests.support.seeds import seeds


def vector(*numbers: float, dtype: str = "int32") -> Constant:
    return Constant(np.asarray(numbers, dtype))


def made_static(body: Expr, *params: Var) -> Function:
    mod = IRModule.from_expr(Function(params, body))
    out = DynamicToStatic()(mod)
    args = [np.arange(24, dtype="float32").reshape(p.type_annotation.shape) for p in params]
    values = [evaluate(m["main"], m, args) for m in (mod, out)]
    assert same_value(*values)
    return out["main"]


x = var("x", shape=(1, 2, 3, 4))
image = var("image", shape=(1, 1, 4, 6))
volume = var("volume", shape=(1, 1, 2, 3, 4))
FORMS = {
    "broadcast_to": (op.dyn.broadcast_to(x, vector(2, 2, 3, 4)), x, (2, 2, 3, 4)),
    "expand_dims": (op.dyn.expand_dims(x, const(-1)), x, (1, 2, 3, 4, 1)),
    "full": (op.dyn.full(const(2.0), vector(2, 3, dtype="int64")), None, (2, 3)),
    "image.resize2d": (
        op.dyn.image.resize2d(image, vector(2, 3), vector(0, 0, 0, 0, dtype="float32")),
        image,
        (1, 1, 2, 3),
    ),
    "nn.pad": (
        op.dyn.nn.pad(x, Constant(np.asarray([[0, 0], [1, 0], [0, 2], [0, 0]])), const(1.0)),
        x,
        (1, 3, 5, 4),
    ),
    "nn.upsampling": (op.dyn.nn.upsampling(image, const(2.0), const(3.0)), image, (1, 1, 8, 18)),
    "nn.upsampling3d": (
        op.dyn.nn.upsampling3d(volume, const(1.0), const(2.0), const(1.0)),
        volume,
        (1, 1, 2, 6, 4),
    ),
    "one_hot": (
        op.dyn.one_hot(vector(0, 2), const(1.0), const(0.0), const(3)),
        None,
        (2, 3),
    ),
    "ones": (op.dyn.ones(vector(2, 3), dtype="int8"), None, (2, 3)),
    "reshape": (op.dyn.reshape(x, vector(0, -1, 12)), x, (1, 2, 12)),
    "sparse_to_dense": (
        op.dyn.sparse_to_dense(vector(1, 2), vector(5, 6), const(0), vector(4)),
        None,
        (4,),
    ),
    "squeeze": (op.dyn.squeeze(x, vector(0)), x, (2, 3, 4)),
    "strided_slice": (
        op.dyn.strided_slice(x, vector(0, 1, 0, 3), vector(1, 2, 3, 0), vector(1, 1, 2, -1)),
        x,
        (1, 1, 2, 3),
    ),
    "tile": (op.dyn.tile(x, vector(2, 1, 1, 1, 3)), x, (2, 1, 2, 3, 12)),
    "zeros": (op.dyn.zeros(vector(), dtype="float32"), None, ()),
}


@pytest.mark.parametrize("name", FORMS)
def test_static_operator_does_what_the_dynamic_one_did(name: str) -> None:
    body, param, shape = FORMS[name]
    func = made_static(body, *([] if param is None else [param]))
    assert func.body.op.name == name
    assert func.ret_type.shape == shape


def test_every_dynamic_operator_has_a_static_form() -> None:
    named = {name for name in list_ops("relay") if find_static_call(get_op(name)) is not None}
    assert named == {name for name in list_ops("relay") if name.startswith("dyn.")}


@each("seed", seeds(40))
def test_random_programs_keep_their_value_and_lose_what_is_unknown(seed: int) -> None:
    program = random_sizes(seed, unknown=seed % 2 == 0)
    out = DynamicToStatic()(program.mod)
    infer_type(out, fresh=True)
    values = [evaluate(m["main"], m, program.args) for m in (program.mod, out)]
    assert same_value(*values)
    text = astext(out)
    assert program.is_open or not ("dyn." in text or "?" in text)
    assert DynamicToStatic()(out) is out


@pytest.mark.parametrize(
    "call",
    [
        op.dyn.reshape(x, vector(1, -2, -2)),  # -2 stands for several sizes, and for none here
        op.dyn.reshape(x, vector(5, 5)),
        op.dyn.squeeze(x, vector(1)),
        op.dyn.zeros(vector(-1), dtype="float32"),
        op.dyn.broadcast_to(x, vector(1, 2, 3, 5)),
        op.dyn.nn.upsampling(image, const(np.float32("inf")), const(1.0)),
    ],
)
def test_call_stays_where_its_sizes_are_wrong(call: Call) -> None:
    mod = infer_type(IRModule.from_expr(Function((x, image), call)))
    assert DynamicToStatic()(mod) is mod


def test_shapes_that_turn_out_not_to_fit_are_ill_typed() -> None:
    y = var("y", shape=(5,))
    body = op.add(op.dyn.reshape(x, vector(4, 6)), y)
    with pytest.raises(TypeInferenceError):
        DynamicToStatic()(IRModule.from_expr(Function((x, y), body)))


def chain(levels: int) -> Function:
    """Reshape as often as that, each time to the shape of what was reshaped before."""
    data: Expr = x
    for _ in range(levels):
        data = op.dyn.reshape(data, relay.shape_of(data, dtype="int32"))
    return infer_type(Function((x,), data))


def test_work_is_linear_in_what_depends_on_one_another(monkeypatch: pytest.MonkeyPatch) -> None:
    typed = []

    def counting(call, args):
        typed.append(call)
        return call_type(call, args)

    call_type = subject.call_type
    monkeypatch.setattr(subject, "call_type", counting)
    monkeypatch.setattr(retyping, "call_type", counting)
    counts = []
    for levels in (50, 100, 200):
        func = chain(levels)
        typed.clear()
        dynamic_to_static(func)
        counts.append(len(typed))
    assert counts[2] - counts[1] == 2 * (counts[1] - counts[0])
    assert counts[2] <= 4 * 200


def test_long_programs_with_sizes_in_variables_are_no_matter() -> None:
    names = [Var(f"s{at}") for at in range(8_000)]
    body: Expr = op.dyn.zeros(names[-1], dtype="float32")
    for at in reversed(range(1, len(names))):
        body = Let(names[at], op.add(names[at - 1], vector(0, 0)), body)
    func = infer_type(Function((), Let(names[0], vector(2, 3), body)))
    found = {n.op.name for n in EXPRESSIONS.post_order(dynamic_to_static(func)) if type(n) is Call}
    assert "zeros" in found
    assert "dyn.zeros" not in found


def test_unchanged_function_is_returned_as_it_is() -> None:
    func = infer_type(Function((x,), Tuple((op.nn.relu(x), relay.shape_of(x)))))
    assert dynamic_to_static(func) is func


def ill_typed_before(body: Expr, *params: Var) -> IRModule:
    """Return a module that types cannot be inferred of, as its sizes come from slices."""
    mod = IRModule.from_expr(Function(params, body))
    with pytest.raises(TypeInferenceError, match="known length"):
        infer_type(mod)
    return mod


def rows(of: Expr) -> Expr:
    """Return the shape of ``of``, cut out of itself: of unknown length, as types go."""
    shape = relay.shape_of(of, dtype="int32")
    return relay.strided_slice(shape, const(np.array([0])), relay.shape_of(shape, dtype="int32"))


def test_program_that_types_with_static_sizes_alone_becomes_static() -> None:
    x, y = var("x", shape=()), var("y", shape=(3, 4))
    for body, name in (
        (relay.full(x, rows(y)), "full"),
        (relay.reshape(relay.exp(y), rows(y)), "reshape"),
    ):
        mod = DynamicToStatic()(ill_typed_before(body, x, y))
        assert mod["main"].ret_type is not None
        assert mod["main"].ret_type.shape == (3, 4)
        called = {n.op.name for n in EXPRESSIONS.post_order(mod["main"]) if type(n) is Call}
        assert name in called
        assert not {each for each in called if each.startswith("dyn.")}


def test_program_becomes_static_as_far_as_it_takes_for_types() -> None:
    x, y = var("x", shape=()), var("y", shape=(relay.Any(), 4))
    mod = DynamicToStatic()(ill_typed_before(relay.full(x, rows(y)), x, y))
    assert isinstance(mod["main"].body, Call)
    assert mod["main"].body.op.name == "dyn.full"
    assert len(mod["main"].ret_type.shape) == 2


def test_program_that_does_not_type_either_way_is_refused() -> None:
    y = var("y", shape=(3, 4))
    with pytest.raises(TypeInferenceError):
        DynamicToStatic()(IRModule.from_expr(Function((y,), relay.full(const(1.0), (3,)) + y)))


def test_size_of_an_image_that_comes_as_floats_is_whole() -> None:
    x = var("x", shape=(1, 2, 3, 4))
    dynamic = relay.image.resize2d(x, var("size", shape=(2,)), roi=(0.0, 0.0, 0.0, 0.0))
    assert isinstance(dynamic, Call)
    args = (x, vector(8, 8, dtype="float32"), vector(0, 0, 0, 0, dtype="float32"))
    out = made_static(dynamic.with_fields(args=args), x)
    assert out.body.op.name == "image.resize2d"
    assert out.body.attrs.size == (8, 8)
    assert out.body.attrs.roi == (0.0,) * 4

"""Eighty typical mistakes, as people make them, and what is said of each.

Seven of the eighty are none (leaving ``super().__init__()`` out, visiting twice, giving numpy's
element types, comparing types by ``==``). Of ``x == y`` nothing is said: of all nodes it asks
whether they are one object, which dictionaries and sets live on, and so does ``call.op == op``.

``python -m tests.support.mistakes`` writes ``tests/cases/mistakes.txt`` anew, to be read.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from unittest import mock

import numpy as np

import relayish as relay
from relayish._support import segments
from relayish.functor import ExprFunctor, ExprMutator, ExprVisitor
from relayish.ir.registration.declarations import declared_temporarily
from relayish.transform import (
    FoldConstant,
    FunctionPass,
    InferType,
    PassContext,
    Sequential,
    VerifyInstrument,
    create_function_pass,
    register_pass,
)
from tests.support.text_cases import CASES, read_cases, write_cases


def _module(func: relay.Expr) -> relay.IRModule:
    return relay.IRModule.from_expr(func)


X = relay.var("x", shape=(2, 3))
Y = relay.var("y", shape=(2, 3))
F = relay.Function([X], relay.exp(relay.tanh(X)))
MOD = _module(F)
ONES = np.ones((2, 3), "float32")

MISTAKES: dict[str, Callable[[], object]] = {}


def mistake(number: int, what: str) -> Callable[[Callable[[], object]], Callable[[], object]]:
    """Enter a mistake under its number in the list of eighty."""

    def enter(make: Callable[[], object]) -> Callable[[], object]:
        MISTAKES[f"{number:02} {what}"] = make
        return make

    return enter


@mistake(1, "handler of another spelling")
def _():
    class Printer(ExprVisitor):
        def visit_Call(self, call):
            """Never called."""


@mistake(2, "handler of another spelling with a suggestion")
def _():
    class Printer(ExprVisitor):
        def visit_tuple_get_item(self, item):
            """Never called."""


@mistake(3, "handler called as in C++")
def _():
    class Printer(ExprVisitor):
        def VisitExpr_(self, call):
            """Never called."""

    return Printer().visit(F)


@mistake(6, "mutator that returns nothing")
def _():
    class Lost(ExprMutator):
        def visit_call(self, call):
            """Forget to return."""

    return Lost().visit(F)


@mistake(7, "mutator that returns a number")
def _():
    class Numbers(ExprMutator):
        def visit_call(self, call):
            return 3

    return Numbers().visit(F)


@mistake(8, "constant in place of a parameter")
def _():
    class Ones(ExprMutator):
        def visit_var(self, var):
            return relay.const(1.0)

    return Ones().visit(F)


@mistake(9, "assignment to a field")
def _():
    relay.exp(X).args = (Y,)


@mistake(10, "assignment into the arguments")
def _():
    relay.exp(X).args[0] = Y


@mistake(11, "assignment into a module")
def _():
    MOD["main"] = F


@mistake(12, "assignment into the functions of a module")
def _():
    MOD.functions["f"] = F


@mistake(13, "array in place of an expression")
def _():
    return relay.add(X, np.float32([1]))


@mistake(14, "array among the arguments of a call")
def _():
    return relay.Call(relay.op.get("add"), [X, np.ones(3)])


@mistake(15, "sum with an array")
def _():
    return X + ONES


@mistake(16, "sum of an array with an expression")
def _():
    return ONES + X


@mistake(17, "number in place of an expression")
def _():
    return relay.add(X, 1.0)


@mistake(18, "misspelt attribute")
def _():
    return relay.nn.conv2d(X, Y, kernal_size=(1, 1))


@mistake(19, "attribute of another type")
def _():
    return relay.nn.conv2d(X, Y, kernel_size="3x3")


@mistake(20, "element type that does not exist")
def _():
    return relay.var("x", shape=(2,), dtype="float23")


@mistake(21, "misspelt element type")
def _():
    return relay.var("x", shape=(2,), dtype="flaot32")


@mistake(23, "shape in place of a type")
def _():
    return relay.var("x", (2, 3))


@mistake(24, "number in place of a shape")
def _():
    return relay.var("x", shape=3)


@mistake(25, "negative dimension")
def _():
    return relay.var("x", shape=(-1,))


@mistake(26, "too few dimensions")
def _():
    func = relay.Function([X, Y], relay.nn.conv2d(X, Y, kernel_size=(1, 1)))
    return InferType()(_module(func))


@mistake(27, "shapes that do not broadcast")
def _():
    a, b = relay.var("a", shape=(3, 4)), relay.var("b", shape=(5,))
    return InferType()(_module(relay.Function([a, b], relay.add(a, b))))


@mistake(28, "evaluation of a free variable")
def _():
    return relay.evaluate(X)


@mistake(29, "free variable in a function")
def _():
    return InferType()(_module(relay.Function([X], relay.add(X, Y))))


@mistake(30, "free variable without a type")
def _():
    return InferType()(_module(relay.Function([X], relay.add(X, relay.var("q")))))


@mistake(33, "unknown pass in a pipeline")
def _():
    return Sequential(["FoldConstnat"])


@mistake(34, "unknown pass as an attribute")
def _():
    return relay.transform.FoldConstnat


@mistake(35, "unknown option of a pass")
def _():
    return FoldConstant(fold_qn=True)


@mistake(36, "pass called on a function")
def _():
    return FoldConstant()(F)


@mistake(37, "pass called on a list")
def _():
    return FoldConstant()([F])


@mistake(38, "pass class called on a module")
def _():
    return FoldConstant(MOD)


@mistake(39, "pipeline of a class")
def _():
    return Sequential([FoldConstant])


@mistake(40, "pipeline of several arguments")
def _():
    return Sequential("FoldConstant", "InferType")


@mistake(41, "visit of a list")
def _():
    return ExprVisitor().visit([F])


@mistake(42, "visit of a module")
def _():
    return ExprVisitor().visit(MOD)


@mistake(43, "visit of what a visitor returned")
def _():
    return ExprMutator().visit(ExprVisitor().visit(F))


@mistake(44, "module of a list")
def _():
    return relay.IRModule.from_expr([1])


@mistake(45, "misspelt function")
def _():
    return MOD["mian"]


@mistake(46, "parameter that is no variable")
def _():
    return relay.Function([relay.const(1)], X)


@mistake(47, "parameter outside of a list")
def _():
    return relay.Function(X, X)


@mistake(48, "operator by its name")
def _():
    return relay.Call("add", [X, Y])


@mistake(49, "field that a tuple does not have")
def _():
    return InferType()(_module(relay.Function([X], relay.TupleGetItem(relay.Tuple([X]), 3))))


@mistake(51, "comparison in place of a condition")
def _():
    return 1 if X < Y else 2


@mistake(52, "missing argument")
def _():
    return relay.add(X)


@mistake(53, "misspelt operator")
def _():
    return relay.op.nn.rleu


@mistake(54, "misspelt name of an operator")
def _():
    return relay.get_op("nn.rleu")


@mistake(55, "text without a header")
def _():
    return relay.parse("def @main(%x: float32) { %x }")


@mistake(56, "text with an open parenthesis")
def _():
    return relay.parse('#[version = "0.0.5"]\ndef @main(%x: float32) { add(%x, 1f')


@mistake(57, "unknown variable in a text")
def _():
    return relay.parse('#[version = "0.0.5"]\ndef @main(%xs: float32) { add(%xy, 1f) }')


@mistake(58, "path in place of a text")
def _():
    return relay.parse("model.relay")


@mistake(59, "argument of another shape")
def _():
    return relay.create_executor(mod=MOD).evaluate()(1)


@mistake(60, "argument of another element type")
def _():
    return relay.create_executor(mod=MOD).evaluate()(np.ones((2, 3)))


@mistake(61, "level as a string")
def _():
    return PassContext(opt_level="3")


@mistake(62, "misspelt name of a disabled pass")
def _():
    return PassContext(disabled_pass=["FoldConstnat"])


@mistake(63, "handler that takes nothing")
def _():
    class Counter(ExprVisitor):
        def visit_call(self):
            """Take no node."""

    return Counter().visit(F)


@mistake(64, "functor without a handler")
def _():
    class Size(ExprFunctor):
        def visit_call(self, call):
            return self.visit(call.args[0])

    return Size().visit(F.body)


@mistake(65, "name of a pass that is taken")
def _():
    @register_pass(opt_level=1)
    class FoldConstant(FunctionPass):  # the name of a pass of the library
        def transform_function(self, func, mod, ctx):
            return func


@mistake(66, "pass that transforms nothing")
def _():
    @register_pass(opt_level=1)
    class Nothing(FunctionPass):
        pass


@mistake(67, "pass of a plain class")
def _():
    @register_pass(opt_level=1)
    class Plain:
        pass


@mistake(68, "decorator without its arguments")
def _():
    @register_pass
    class Bare(FunctionPass):
        def transform_function(self, func, mod, ctx):
            return func


@mistake(69, "misspelt field")
def _():
    return relay.exp(X).arg


@mistake(70, "type that was not inferred")
def _():
    return relay.type_of(relay.exp(X)).shape


@mistake(71, "misspelt field of an update")
def _():
    return F.with_fields(boddy=X)


@mistake(72, "constant of what is no value")
def _():
    return relay.const(object)


@mistake(73, "constant of a ragged list")
def _():
    return relay.const([[1, 2], [3]])


@mistake(74, "constant of a misspelt element type")
def _():
    return relay.const(1, "flaot32")


@mistake(75, "rewriting without end")
def _():
    class Growing(ExprMutator):
        def visit_call(self, call):
            return self.visit(relay.negative(call))

    with mock.patch.object(segments, "MAX_LEVELS", 22_000):  # a hundred times as many take seconds
        return Growing().visit(F)


@mistake(76, "gradient of a call")
def _():
    return relay.transform.gradient(relay.exp(X))


@mistake(77, "parameters replaced without their uses")
def _():
    z = relay.var("z", shape=(2, 3))
    with PassContext(instruments=[VerifyInstrument()]):
        swap = create_function_pass(lambda f, m, c: f.with_fields(params=(z,)), 0, "Swap")
        return swap(InferType()(MOD))


def said(make: Callable[[], object]) -> str:
    """Return the error or the warning that a mistake gives, with its notes."""
    with declared_temporarily(), warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            made = make()
        except Exception as error:  # noqa: BLE001 - whatever a mistake gives
            notes = [f"\n{note}" for note in getattr(error, "__notes__", ())]
            text = f"{type(error).__name__}: {error}{''.join(notes)}"
            return re.sub(r" at 0x[0-9a-f]+", "", text).replace(__name__, "mistakes")
    return f"nothing: {made!r}"


SAID = CASES / "mistakes.txt"
"""What is to be said of each mistake."""


def texts() -> dict[str, str]:
    """Return what is to be said, by number and name."""
    return {name: text for name, (text,) in read_cases(SAID).items()}


if __name__ == "__main__":
    write_cases(SAID, {name: (said(make),) for name, make in MISTAKES.items()})

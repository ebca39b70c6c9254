"""Passes leave definitions of other languages alone, and what these refer to in its place."""

from __future__ import annotations

from collections.abc import Iterator

from relayish.analysis.call_graph import count_global_references
from relayish.analysis.infer_type import SIGNATURES
from relayish.errors import PassError, UnknownKindError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.fields.roles import Runs
from relayish.ir.nodes.node import Node, declared_temporarily, field, node
from relayish.ir.relay.expr import Expr, GlobalVar
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import FuncType, TensorType
from relayish.text import parse
from relayish.transform import PassContext
from tests.support import mini
from tests.support.declared import known_in_tests
from tests.support.each import each
from tests.support.languages_of_passes import OTHER_PASSES, RELAY_PASSES, check_given_back
from tests.support.mini import sum_of_squares
from tests.support.standing import REFUSES, made_for

HERE = declared_temporarily()
with mini.DECLARED, HERE:

    @node("launch")
    class Launch(mini.MiniExpr):
        """Run a function of Relay."""

        function: GlobalVar

    @node("kernel")
    class Kernel(mini.MiniExpr):
        """A function that Relay may call, since its signature is registered."""

        params: tuple[mini.Var, ...] = field(binder=True)
        body: mini.MiniExpr = field(scope=Runs.DEFERRED)


TENSOR = TensorType((2, 2), "float32")
SIGNATURES.register(Kernel, lambda kernel: FuncType((TENSOR,) * len(kernel.params), TENSOR))


_kinds = known_in_tests(mini.DECLARED, HERE)


RELAY = """#[version = "0.0.5"]
def @helper(%x: Tensor[(2, 2), float32]) -> Tensor[(2, 2), float32] { add(%x, %x) }
def @main(%x: Tensor[(2, 2), float32]) -> Tensor[(2, 2), float32] {
  let %f = fn (%y: Tensor[(2, 2), float32]) { multiply(@helper(%y), 2f) };
  let %z = add(%x, 0f);
  %f(if (True) { %z } else { tanh(%z) })
}
"""

CALLS = """#[version = "0.0.5"]
def @main(%x: Tensor[(2, 2), float32]) -> Tensor[(2, 2), float32] {
  let %unused = @kernel(%x);
  let %f = fn (%y: Tensor[(2, 2), float32]) { @kernel(tanh(%y)) };
  add(@kernel(%x), %f(@kernel(%x)))
}
def @kernel(%x: Tensor[(2, 2), float32]) { %x }
"""


def calls(mod: IRModule) -> int:
    """Return in how many places the functions of Relay call the one of another language."""
    definitions = mod.functions_of(Expr).values()
    return sum(count_global_references(func).get("kernel", 0) for func in definitions)


def outcomes(name: str, mod: IRModule, *expected: type[Exception]) -> Iterator[IRModule]:
    """Yield what the pass, with each choice of options, makes of a module, if it takes it."""
    for pass_ in made_for(name, mod):
        try:
            with PassContext(opt_level=4):
                out = pass_(mod)
        except (*expected, REFUSES.get(name, UnknownKindError)) as error:
            if name in REFUSES or says_what_to_do(error):
                continue
            raise
        yield out


def kept(name: str, node: Node, before: Node) -> bool:
    """Return whether a pass left a node as it was: the same object, if it does not read it anew."""
    return structural_equal(node, before) if name == "AnnotateSpans" else node is before


def says_what_to_do(error: Exception) -> bool:
    """Return whether a refusal says what to register, or which function is in the way."""
    return "; call relay.analysis.SIGNATURES.register(Function" in str(error) or "@kernel" in str(
        error
    )


@each("name", RELAY_PASSES)
def test_pass_leaves_definitions_of_other_languages_as_they_are(name: str) -> None:
    kernel = sum_of_squares()
    mod = parse(RELAY).with_function("kernel", kernel)
    for out in outcomes(name, mod):
        assert kept(name, out["kernel"], kernel)
        assert kept(name, out.get_global_var("kernel"), mod.get_global_var("kernel"))


@each("name", RELAY_PASSES)
def test_pass_keeps_functions_that_other_languages_use(name: str) -> None:
    mod = parse(RELAY)
    helper = mod.get_global_var("helper")
    for out in outcomes(name, mod.with_function("kernel", mini.Function((), Launch(helper)))):
        assert kept(name, out.get_global_var("helper"), helper)


@each("name", RELAY_PASSES)
def test_pass_keeps_calls_of_other_languages_or_says_what_to_register(name: str) -> None:
    kernel = sum_of_squares()
    mod = parse(CALLS).with_function("kernel", kernel)
    for out in outcomes(name, mod, UnknownKindError):
        assert kept(name, out["kernel"], kernel)
        assert calls(out) == 4


@each("name", RELAY_PASSES)
def test_pass_keeps_calls_of_other_languages_whose_signature_is_known(name: str) -> None:
    x = mini.Var("x")
    kernel = Kernel((x,), mini.Say(x))
    mod = parse(CALLS).with_function("kernel", kernel)
    for out in outcomes(name, mod, PassError):
        assert kept(name, out["kernel"], kernel)
        assert calls(out) == 4


@each("name", OTHER_PASSES)
def test_pass_of_another_language_gives_programs_back(name: str) -> None:
    mod = parse(CALLS).with_function("kernel", sum_of_squares())
    check_given_back(name, [parse(RELAY).with_function("kernel", sum_of_squares()), mod])

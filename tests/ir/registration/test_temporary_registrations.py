"""What is registered where declarations are temporary is forgotten with them, whatever it is.

Each registration refuses a second of the same by others; so these can make it only where it is
forgotten. The same code may make it again.
"""

from __future__ import annotations

import re
import types
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

import relayish as relay
from relayish import tir
from relayish.binary import register_value
from relayish.dataflow import Direction, register_analysis
from relayish.domain import Handler, register_handler, register_task
from relayish.ir.equality.comparison import COMPARISONS, Comparison
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.equality.structural_hash import structural_hash
from relayish.ir.modules.module import Module
from relayish.ir.registration.claims import Claims
from relayish.ir.registration.declarations import declared_temporarily
from relayish.onnx.kernels import find_kernel, kernel
from relayish.op.contrib import register_pattern_table
from relayish.op.declaration.rewriting import register_qnn_legalize
from relayish.op.declaration.target import register_target_support
from relayish.pass_infra.base.config import register_config_option
from relayish.pass_infra.composition.check import register_check
from relayish.pass_infra.composition.instruments import register_instrument
from relayish.passes.loops.simplify.rules import SIMPLIFICATIONS
from relayish.passes.onnx.lowering.rule import RULES as LOWERING_RULES
from relayish.passes.onnx.lowering.rule import lowers
from relayish.passes.onnx.raising.rule import RULES as RAISING_RULES
from relayish.passes.onnx.raising.rule import raises
from relayish.passes.relay.lowering.targets import register_lowering_target
from relayish.text import register_text
from relayish.text.tables import Family, is_reserved, register_family
from relayish.text.values_writer import spell_value
from relayish.tir import register_extern, register_schedule, register_tensor_intrinsic
from relayish.transform import FunctionPass, module_pass, register_pass
from tests.support.each import each


@pytest.fixture(scope="module", autouse=True)
def kinds():
    with relay.declared_temporarily():

        @relay.node("registered_bare")
        class Bare(relay.Expr):
            arg: relay.Expr

        class Said(relay.Node, held_as=relay.Role.ANNOTATION):
            __slots__ = ()

        yield {"kind": Bare, "family": Said}


class OwnModule(Module[str]):
    """A class of modules that nobody else registers anything of."""


def rule(*_args: object) -> Any:
    """Stand for an entry of any table."""


def other(*_args: object) -> Any:
    """Stand for another one."""


class _OwnPass(FunctionPass):
    """A class of passes over a family."""


def _moved(function: Any) -> Any:
    """Return what ``function`` would be, had another module defined it."""
    moved = FunctionType(function.__code__, {**function.__globals__, "__name__": "elsewhere"})
    moved.__qualname__ = function.__qualname__
    assert moved.__module__ == "elsewhere"
    return moved


def _handler_like(function: Any) -> Any:
    """Return a class of handlers that is called as ``function`` is."""
    told = {"__module__": function.__module__, "__qualname__": function.__qualname__}
    return types.new_class(
        function.__name__, (Handler,), {"domain": "random"}, lambda names: names.update(told)
    )


def _anew(function: Any) -> Any:
    """Return ``function`` as it is defined a second time."""
    code = function.__code__.replace()
    return FunctionType(code, function.__globals__, function.__name__)


NOTHING = tir.LoweredFunc("nothing", (), tir.Block())

Register = Callable[[Any, Any], object]  # the kinds, an entry

REGISTRATIONS: dict[str, Register] = {
    "kernel": lambda k, f: kernel("Twice", since=(1, 7))(f),
    "lowers": lambda k, f: lowers("Once", "Twice")(f),
    "raises": lambda k, f: raises("registered_twice")(f),
    "register_alter_op_layout": lambda k, f: relay.register_alter_op_layout("exp", f, 77),
    "register_analysis": lambda k, f: register_analysis("Twice", direction=Direction.FORWARD)(f),
    "register_check": lambda k, f: register_check("registered_twice")(f),
    "register_config_option": lambda k, f: register_config_option("test.twice", int, 1, "an int"),
    "register_convert_op_layout": lambda k, f: relay.register_convert_op_layout("exp", f, 77),
    "register_extern": lambda k, f: register_extern("registered_twice", f),
    "register_family": lambda k, f: register_family(k["family"], Family("said", f, f)),
    "register_fake_quantization_to_integer": (
        lambda k, f: relay.register_fake_quantization_to_integer("exp", f, 77)
    ),
    "register_gradient": lambda k, f: relay.register_gradient("exp", f, level=77),
    "register_handler": lambda k, f: register_handler("lower", _handler_like(f)),
    "register_infer_layout": lambda k, f: relay.register_infer_layout("exp", f, 77),
    "register_instrument": lambda k, f: register_instrument("Twice")(f),
    "register_legalize": lambda k, f: relay.register_legalize(
        "exp", f, 77, table="registered_twice"
    ),
    "register_lowering_target": lambda _, __: register_lowering_target("registered_twice"),
    "register_mixed_precision_conversion": (
        lambda k, f: relay.register_mixed_precision_conversion("exp", f, 77)
    ),
    "register_optional_fake_quantization_to_integer": (
        lambda k, f: relay.register_optional_fake_quantization_to_integer("exp", f, 77)
    ),
    "register_qnn_legalize": lambda k, f: register_qnn_legalize("exp", f, 77),
    "register_op": lambda k, f: relay.register_op("registered_twice", arguments=("data",)),
    "register_op_attr": lambda k, f: relay.register_op_attr("exp", "registered_twice", f, 77),
    "register_pass": lambda k, f: register_pass(opt_level=0, name="Twice")(
        module_pass(lambda mod, ctx: mod, opt_level=0)
    ),
    "register_pattern_table": lambda k, f: register_pattern_table("registered_twice", f),
    "SIMPLIFICATIONS.register": lambda k, f: SIMPLIFICATIONS.register(k["kind"], f),
    "register_schedule": lambda k, f: register_schedule("registered_twice")(f),
    "register_task": lambda k, f: register_task("registered_twice"),
    "register_target_support": lambda k, f: register_target_support("exp", "twice", f),
    "register_tensor_intrinsic": (
        lambda _, __: register_tensor_intrinsic("registered_twice", NOTHING, NOTHING)
    ),
    "register_text": lambda k, f: register_text(k["kind"], "registered", write=f, read=f),
    "register_value": lambda k, f: register_value(_OwnPass, "registered_twice", f, f),
}

NAMED_BY_ENTRY = {
    *REGISTRATIONS,
} - {
    "register_config_option",
    "register_family",
    "register_lowering_target",
    "register_op",
    "register_pass",
    "register_task",
    "register_tensor_intrinsic",
}
"""Those that are given a function, which tells by its name who claims what; else the caller is."""

RELAYS = {"register_pattern", "register_stateful"}
"""Replace what there was, as in Relay; their tables are those that all operators share."""

AT_TOP = re.compile(r"^def (register_\w+)", re.MULTILINE)

OF_LANGUAGES = {"register_filler"}
"""What a language says of its own tables, once and for all."""


@each("name", REGISTRATIONS)
def test_registration_is_forgotten_with_the_declarations(name, kinds):
    for entry in (rule, other):
        with relay.declared_temporarily():
            REGISTRATIONS[name](kinds, entry)


@each("name", REGISTRATIONS)
def test_registration_by_another_module_is_refused_and_both_are_named(name, kinds):
    with relay.declared_temporarily():
        REGISTRATIONS[name](kinds, rule)
        with pytest.raises(
            relay.DuplicateNameError, match=r"test_temporary_.* and by elsewhere[., ]"
        ):
            _moved(REGISTRATIONS[name])(kinds, _moved(other))


@each("name", sorted(NAMED_BY_ENTRY))
def test_registration_of_another_function_of_the_module_is_refused(name, kinds):
    with relay.declared_temporarily():
        REGISTRATIONS[name](kinds, rule)
        with pytest.raises(relay.DuplicateNameError, match=r"\.rule and by .*\.other;"):
            REGISTRATIONS[name](kinds, other)


@each("name", REGISTRATIONS)
def test_registration_by_the_same_code_replaces(name, kinds):
    with relay.declared_temporarily():
        REGISTRATIONS[name](kinds, rule)
        REGISTRATIONS[name](kinds, _anew(rule))


@each("name", REGISTRATIONS)
def test_registration_is_there_again_with_the_declarations(name, kinds):
    with (declared := relay.declared_temporarily()):
        REGISTRATIONS[name](kinds, rule)
    with declared, pytest.raises(relay.DuplicateNameError):
        _moved(REGISTRATIONS[name])(kinds, _moved(other))


def test_every_function_that_registers_is_tried_here():
    package = Path(relay.__file__).parent
    sources = (path.read_text(encoding="utf-8") for path in package.rglob("*.py"))
    functions = {name for source in sources for name in AT_TOP.findall(source)}
    tried = {name for name in REGISTRATIONS if name.startswith("register_")}
    assert functions == {*tried, *RELAYS, *OF_LANGUAGES}


def test_rules_and_kernels_of_onnx_are_found_only_while_they_are_declared():
    with (declared := relay.declared_temporarily()):
        kernel("Twice", since=(1,))(rule)
        lowers("Twice")(rule)
        raises("registered_twice")(rule)
    assert find_kernel("", "Twice", 1) is None
    assert ("", "Twice") not in LOWERING_RULES
    assert "registered_twice" not in RAISING_RULES
    with declared:
        assert find_kernel("", "Twice", 1) is rule
        assert LOWERING_RULES["", "Twice"] is rule
        assert RAISING_RULES["registered_twice"] is rule


class TestComparison:
    def test_told_decides_alone_of_a_kind_whose_sharing_counts(self, kinds):
        bare = kinds["kind"]
        one, two = bare(relay.const(1)), bare(relay.const(2))
        with declared_temporarily():
            COMPARISONS.register(bare, Comparison(same=lambda lhs, rhs: True))
            assert structural_equal(relay.Tuple((one, one)), relay.Tuple((one, two)))

    def test_told_temporarily_holds_no_longer_for_what_was_compared_meanwhile(self, kinds):
        one, two = (kinds["kind"](relay.const(value)) for value in (1, 2))
        assert not structural_equal(one, two)
        with declared_temporarily():
            COMPARISONS.register(kinds["kind"], Comparison(same=lambda lhs, rhs: True))
            assert structural_equal(one, two)
        assert not structural_equal(one, two)

    def test_hash_leaves_out_only_temporarily_what_is_skipped_temporarily(self, kinds):
        one, two = (kinds["kind"](relay.const(value)) for value in (1, 2))
        assert structural_hash(one) != structural_hash(two)
        with declared_temporarily():
            COMPARISONS.register(kinds["kind"], Comparison(skipped=("arg",)))
            assert structural_hash(one) == structural_hash(two)
        assert structural_hash(one) != structural_hash(two)


def test_word_of_a_family_is_reserved_only_while_it_has_a_grammar(kinds):
    with relay.declared_temporarily():
        register_family(kinds["family"], Family("said", rule, rule))
        assert is_reserved("said")
    assert not is_reserved("said")


def test_word_of_a_family_that_is_taken_is_refused(kinds):
    with pytest.raises(
        relay.DuplicateNameError, match="the word 'let' of the family Said is claimed"
    ):
        register_family(kinds["family"], Family("let", rule, rule))


def test_text_of_values_is_forgotten_with_the_declarations():
    with (declared := relay.declared_temporarily()):
        spell_value.add((complex, object), lambda value, _: "a complex")
        assert spell_value(1j, None) == "a complex"
    with pytest.raises(AttributeError):
        spell_value(1j, None)  # asks for metadata
    with declared:
        assert spell_value(1j, None) == "a complex"


def test_claim_is_that_of_the_module_which_registers_and_not_of_what_it_registers():
    claims = Claims[str]()
    with relay.declared_temporarily():
        claims.enter("key", relay.declared_temporarily, "the name 'key'", taken=False, instead="")
        assert claims.module_of("key") == __name__

"""What is declared for a while, and then forgotten."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

import relayish as relay
from relayish.ir.attributes.attrs import attrs_class
from relayish.ir.domains.domain import is_domain
from relayish.ir.domains.language import languages
from relayish.ir.nodes.node import node_kinds
from relayish.ir.registration.declarations import changes_of
from relayish.op.declaration import properties
from relayish.transform import function_pass, list_passes, register_pass


def test_operator_and_its_properties_are_forgotten():
    with relay.declared_temporarily():
        made = relay.register_op("tests.halve", arguments=("data",), stateful=True, evaluate=abs)
        properties.description.set(made, "Halve it.")
        assert relay.tests.halve(relay.const(1)).op is made
    assert not relay.is_registered("tests.halve")
    assert not is_domain("tests")
    for table in (
        properties.arguments,
        properties.stateful,
        properties.evaluate,
        properties.description,
    ):
        assert made not in table
    with pytest.raises(relay.UnknownNameError):
        relay.builder("tests.halve")


def test_operator_may_be_declared_otherwise_afterwards():
    for arguments in (("a",), ("a", "b")):
        with relay.declared_temporarily():
            made = relay.register_op("tests.halve", arguments=arguments)
            assert relay.builder("tests.halve")(*[relay.const(1)] * len(arguments)).op is made
            assert relay.get_domain("tests").get("halve").num_children == len(arguments)


def test_properties_changed_meanwhile_are_as_before():
    exp = relay.get_op("exp")
    pattern = properties.pattern.get(exp)
    with relay.declared_temporarily():
        properties.pattern.set(exp, properties.OpPattern.OPAQUE, replace=True)
        properties.evaluate.remove(exp)
    assert properties.pattern.get(exp) is pattern
    assert exp in properties.evaluate


def test_gradient_and_conversion_may_be_told_again_afterwards():
    exp = relay.get_op("exp")
    before = properties.primal_gradient.get(exp), properties.mixed_precision.get(exp)
    for _ in range(2):
        with relay.declared_temporarily():
            told = relay.register_gradient("exp", lambda call, grad: [grad], level=50)
            relay.register_mixed_precision_conversion(
                "exp", lambda call, dtype: (1, dtype, dtype), 50
            )
            assert properties.primal_gradient.get(exp) is told
        assert (properties.primal_gradient.get(exp), properties.mixed_precision.get(exp)) == before


def test_ambiguity_ends_with_the_declaration():
    with relay.declared_temporarily():
        relay.register_op("add", arguments=(), domain=relay.Domain("lattices"))
        with pytest.raises(relay.UnknownNameError):
            relay.get_op("add")
    assert relay.get_op("add").domain == "relay"
    assert not is_domain("lattices")


def test_attributes_are_forgotten():
    for _ in range(2):
        with relay.declared_temporarily():

            @relay.attrs("tests.attrs.HalveAttrs")
            class HalveAttrs(relay.Attrs):
                """Of ``tests.halve``."""

            assert attrs_class("tests.attrs.HalveAttrs") is HalveAttrs
    assert attrs_class("tests.attrs.HalveAttrs") is None
    assert attrs_class("relay.attrs.ClipAttrs") is not None


def test_passes_are_forgotten():
    known = list_passes()
    for _ in range(2):
        with relay.declared_temporarily():

            @register_pass()
            @function_pass(opt_level=1, name="TestsHalve")
            def halve(func, mod, ctx):
                return func

            assert "TestsHalve" in list_passes()
    assert list_passes() == known


def test_languages_and_their_domains_are_forgotten():
    for _ in range(2):
        with relay.declared_temporarily():

            class Leaf(relay.Node, language=relay.Language("trees")):
                __slots__ = ()

            @relay.node("leaf")
            class Green(Leaf):
                """A green leaf."""

            assert node_kinds()["trees.leaf"] is Green
            assert "trees" in languages()
        assert "trees.leaf" not in node_kinds()
        assert "trees" not in languages()
        assert not is_domain("trees")


def test_error_inside_forgets_as_well():
    def fail():
        with relay.declared_temporarily():
            relay.register_op("tests.halve", arguments=())
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert not relay.is_registered("tests.halve")


def test_entered_again_it_declares_the_same_anew():
    declared = relay.declared_temporarily()
    with declared:
        lattices = relay.Domain("lattices")
        made = relay.register_op("join", arguments=("a", "b"), domain=lattices, stateful=True)
    for _ in range(2):
        assert not relay.is_registered("join")
        with declared:
            assert relay.get_op("lattices::join") is made
            assert properties.stateful.get(made)
            assert relay.get_domain("lattices") is lattices
            assert lattices.get("join").num_children == 2


def test_inner_ones_forget_only_what_is_theirs():
    with relay.declared_temporarily():
        outer = relay.register_op("tests.outer", arguments=())
        with relay.declared_temporarily():
            relay.register_op("tests.inner", arguments=())
        assert relay.get_op("tests.outer") is outer
        assert not relay.is_registered("tests.inner")
    assert not relay.is_registered("tests.outer")


def test_table_is_brought_back_to_what_it_held():
    table = {"a": 1, "b": 2, "c": 3}
    undo = changes_of(table, lambda _, value: value == 5)
    table |= {"a": 4, "d": 5, "e": 6}
    del table["b"]
    redo = undo()
    assert table == {"a": 1, "b": 2, "c": 3, "d": 5}
    redo()
    assert table == {"a": 4, "b": 2, "c": 3, "d": 5, "e": 6}


def test_library_that_is_imported_meanwhile_stays():
    program = """
        from relayish.ir.registration.declarations import declared_temporarily
        with declared_temporarily():
            import relayish as relay
            from relayish.ir.attributes.attrs import Attrs, attrs
            from relayish.op import register_op
            register_op("tests.halve", arguments=())
            relay.transform.FoldConstant()
            import relayish.dataflow_pattern, relayish.passes.relay.fusion.fuse_ops, relayish.tir
            @attrs("tests.Mine")
            class Mine(Attrs):
                pass
        from relayish.ir.attributes.attrs import attrs_class
        from relayish.ir.nodes.node import node_kinds
        assert relay.op.is_registered("add") and not relay.op.is_registered("tests.halve")
        assert attrs_class("relay.attrs.ClipAttrs") and attrs_class("tests.Mine") is None
        assert relay.transform.FuseOps() and relay.transform.FoldConstant()
        assert relay.nn.conv2d and relay.op.stack  # one is made, the other written by hand
        assert relay.tir.externs.find_extern("bitwise_and")  # numpy's, registered by the library
        x = relay.var("x", shape=(2,), dtype="float32")
        func = relay.Function([x], relay.exp(x + x))
        mod = relay.transform.InferType()(relay.IRModule.from_expr(func))
        print(relay.transform.gradient(mod["main"], mod) and len(node_kinds()) > 30)
        assert any("dataflow" in kind.__module__ for kind in node_kinds().values())
        try:
            relay.op.register_gradient("exp", lambda call, grad: [grad])
        except relay.RelayishError as error:
            print(error)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.startswith(
        "True\noperator 'exp' has its 'primal_gradient' of level 10 already"
    )


def test_what_the_library_registers_of_its_kinds_meanwhile_stays():
    program = """
        import relayish as relay
        from relayish.ir.registration.declarations import declared_temporarily
        with declared_temporarily():
            assert relay.evaluate(relay.const(1)) == 1
        print(relay.evaluate(relay.const(2)))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("2\n", "")


def test_whatever_parts_of_the_library_register_stays_when_they_are_first_imported_meanwhile():
    program = """
        import sys
        from relayish.ir.registration import declarations
        from relayish.ir.registration.declarations import declared_temporarily

        changes_of, tables = declarations.changes_of, []

        def recorded(table, stays=None):
            tables.append(table)
            return changes_of(table, stays)

        declarations.changes_of = recorded
        import relayish.op.builders.temporary
        import relayish.tir
        import relayish.dataflow
        with declared_temporarily():
            import relayish.core
            import relayish.interpreter.constants
            import relayish.passes.relay.fold.fold_constant
            import relayish.passes.relay.lowering.targets
            import relayish.transform
            held = [(table, dict(table)) for table in tables]
        made = sys.modules["relayish.op.builders.builder"]._MADE  # kept from before, and made anew
        print([list(old)[:9] for table, old in held if table is not made and table != old])
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")

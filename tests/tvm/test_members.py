"""Attributes and methods of TVM's classes: there, or the error says what to write instead."""

from __future__ import annotations

import pytest

from relayish import tvm
from relayish.errors import FieldError, MissingNameError, UnknownNameError
from relayish.ir.registration.declarations import declared_temporarily
from relayish.tvm import relay
from relayish.tvm.absent_members import MEMBERS

X = relay.var("x", shape=(2, 3))
FUNC = relay.Function([X], relay.nn.relu(X))
MOD = relay.IRModule.from_expr(FUNC)
THINGS = {
    "Node": X,
    "Var": X,
    "Module": MOD,
    "Op": relay.op.get("add"),
    "Target": tvm.target.Target("llvm"),
    "Attrs": relay.nn.softmax(X).attrs,
    "Function": FUNC,
    "TensorType": relay.TensorType((2, 3)),
}


@pytest.mark.parametrize("name", MEMBERS)
def test_member_that_is_said_to_be_absent_is_not_there(name):
    for member in MEMBERS[name]:
        with pytest.raises(MissingNameError, match=f"has no {member}: "):
            getattr(THINGS[name], member)


def test_module_says_what_to_write_for_update_func():
    with pytest.raises(MissingNameError, match=r"mod = mod\.with_function\(var, func\)"):
        MOD.update_func(MOD.get_global_var("main"), FUNC)


def test_misspelt_field_is_what_python_says():
    with pytest.raises(AttributeError, match=r"^'Var' object has no attribute 'name_hnt'$") as info:
        _ = X.name_hnt
    assert (info.value.name, info.value.obj) == ("name_hnt", X)


def test_text_of_a_module_leaves_metadata_out_when_told_to():
    mod = relay.IRModule.from_expr(relay.Function([], relay.const([1, 2, 3])))
    assert mod.astext() == relay.astext(mod)
    assert "b64ndarrays" not in mod.astext(show_meta_data=False)


def test_text_of_a_node_is_that_of_astext():
    assert FUNC.astext() == relay.astext(FUNC)
    assert relay.TensorType((2,)).astext() == "Tensor[(2), float32]"


def test_text_takes_annotations():
    text = MOD.astext(annotate=lambda node: "/* here */")
    assert text == relay.astext(MOD, annotate=lambda node: "/* here */")
    assert "here" in text


def test_concrete_shape_is_the_shape_where_all_sizes_are_known():
    assert relay.TensorType((2, 3)).concrete_shape == (2, 3)


def test_concrete_shape_names_the_dimension_that_is_not_known():
    with pytest.raises(FieldError, match="dimension 1 of the shape"):
        _ = relay.TensorType((2, relay.Any())).concrete_shape


def test_type_definition_is_called_with_arguments():
    header, arg = relay.GlobalTypeVar("List"), relay.scalar_type("int32")
    relay.assert_structural_equal(header(arg), relay.TypeCall(header, [arg]))


class TestAttributesOfModules:
    def test_are_set_read_and_taken_away(self):
        mod = MOD.with_attr("executor", "graph").with_attr("runtime", "cpp")
        assert (mod.get_attr("executor"), mod.get_attr("runtime")) == ("graph", "cpp")
        assert mod.without_attr("executor").get_attr("executor") is None
        assert MOD.attrs is None

    def test_taking_away_the_last_leaves_none(self):
        assert MOD.with_attr("executor", "graph").without_attr("executor").attrs is None

    def test_taking_away_what_is_not_there_is_the_module_itself(self):
        assert MOD.without_attr("executor") is MOD


class TestAttributesOfOperators:
    def test_pattern_is_that_of_the_table(self):
        assert relay.op.get("add").get_attr("TOpPattern") == relay.op.OpPattern.BROADCAST

    def test_key_that_nobody_knows_has_no_value(self):
        op = relay.op.get("add")
        assert op.get_attr("my.key") is None
        assert not op.has_attr("my.key")

    def test_own_key_is_set_read_and_reset(self):
        op = relay.op.get("add")
        with declared_temporarily():
            op.set_attr("my.key", 7)
            assert (op.get_attr("my.key"), op.has_attr("my.key")) == (7, True)
            op.reset_attr("my.key")
            assert not op.has_attr("my.key")

    def test_reset_key_takes_a_value_of_any_level(self):
        op = relay.op.get("add")
        with declared_temporarily():
            op.set_attr("my.key", "high", 15)
            op.reset_attr("my.key")
            op.set_attr("my.key", "low", 5)
            assert op.get_attr("my.key") == "low"

    def test_of_a_lower_level_than_the_declaration_is_left_aside(self):
        op = relay.op.get("add")
        with declared_temporarily():
            op.set_attr("TOpPattern", relay.op.OpPattern.OPAQUE, 9)
            assert op.get_attr("TOpPattern") == relay.op.OpPattern.BROADCAST

    def test_of_a_higher_level_wins(self):
        with declared_temporarily():
            relay.op.register_op_attr("add", "my.key", "low", level=5)
            relay.op.register_op_attr("add", "my.key", "high", level=15)
            relay.op.register_op_attr("add", "my.key", "middle", level=10)
            assert relay.op.get("add").get_attr("my.key") == "high"

    def test_decorator_gives_back_what_it_registers(self):
        with declared_temporarily():

            @relay.op.register_op_attr("add", "target.mine")
            def takes(call):
                return call.args[0] is X

            assert takes(relay.add(X, X))
            annotated = relay.transform.AnnotateTarget("mine")(
                relay.IRModule.from_expr(relay.Function([X], X + X))
            )
            assert "compiler_begin" in annotated.astext()

    def test_predicate_of_a_target_takes_one_call(self):
        with pytest.raises(
            TypeError, match=r"'target.mine' of operator 'add' is .*\(attrs, args\)"
        ):
            relay.op.register_op_attr("add", "target.mine", lambda attrs, args: True)

    def test_layout_rule_takes_the_layouts_before_and_now(self):
        with pytest.raises(TypeError, match=r"\(attrs, new_in_layouts, old_in_layouts"):
            relay.op.register_op_attr("add", "FInferCorrectLayout", lambda attrs: None)

    def test_key_by_which_operators_are_compiled_is_refused(self):
        with pytest.raises(UnknownNameError, match="FTVMCompute says how TVM compiles"):
            relay.op.register_op_attr("add", "FTVMCompute", lambda *_: None)

    def test_target_about_which_nobody_said_anything_is_no_target(self):
        assert relay.op.get("add").get_attr("target.asked_only") is None
        with pytest.warns(relay.IgnoredNameWarning):
            relay.transform.AnnotateTarget("asked_only")(MOD)


class TestPatternTables:
    def test_table_is_made_when_it_is_asked_for(self):
        with declared_temporarily():
            relay.op.contrib.register_pattern_table("mine", lambda: [("mine.relu", X)])
            assert relay.op.contrib.get_pattern_table("mine") == [("mine.relu", X)]

    def test_table_that_nobody_registered_is_named_with_one_near_it(self):
        with declared_temporarily():
            relay.op.contrib.register_pattern_table("mine", list)
            with pytest.raises(UnknownNameError, match="for 'mime'; did you mean mine"):
                relay.op.contrib.get_pattern_table("mime")


def test_make_node_makes_attributes_by_their_type_key():
    assert relay.op.make_node("relay.attrs.SoftmaxAttrs", axis=1).axis == 1
    assert relay.op.make_node("DictAttrs", a=1)["a"] == 1
    with pytest.raises(UnknownNameError, match=r"write relay\.Var"):
        relay.op.make_node("relay.Var", name_hint="x")


def test_numpy_asked_of_a_constant_in_a_handler_is_explained():
    class Read(relay.ExprVisitor):
        def visit_constant(self, constant):
            constant.data.numpy()

    with pytest.raises(AttributeError) as info:
        Read().visit(relay.const(1.0) + X)
    assert "values are numpy's own, also constant.data: leave .numpy() out" in info.value.__notes__


def test_value_asked_of_a_size_in_a_handler_is_explained():
    class Read(relay.ExprVisitor):
        def visit_var(self, var):
            return var.type_annotation.shape[0].value

    with pytest.raises(AttributeError) as info:
        Read().visit(relay.exp(X))
    told = "sizes are Python's own ints where they are known: leave .value out"
    assert told in info.value.__notes__


def test_operators_are_listed_by_their_class():
    names = relay.Op.list_op_names()
    assert list(names) == sorted(names)
    assert {*relay.list_ops("relay")} <= {*names}  # others may have been declared by now


def test_module_is_indexed_with_the_header_of_a_type():
    mod = relay.prelude.Prelude().mod
    header = mod.get_global_type_var("List")
    assert mod[header] is mod.type_definitions[header]


def test_size_of_a_call_is_the_number_of_its_results():
    assert relay.split(X, 3, axis=1).size == 3


def test_member_that_is_not_there_costs_those_that_are_nothing():
    for cls in (relay.Node, relay.Attrs, relay.IRModule):
        assert not hasattr(cls, "__getattr__")  # with it Python finds all members more slowly

"""Modules that hold definitions of several languages."""

from __future__ import annotations

import copy
import pickle

import pytest

from relayish.errors import DuplicateNameError, FieldError, FrozenNodeError, UnknownNameError
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.equality.structural_equal import first_mismatch, structural_equal
from relayish.ir.equality.structural_hash import structural_hash
from relayish.ir.fields.roles import Role
from relayish.ir.modules.module import Module
from relayish.ir.nodes.node import declared_temporarily, node
from relayish.ir.relay.adt import PatternWildcard, TypeData
from relayish.ir.relay.expr import Constant, Expr, Function, GlobalVar, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import GlobalTypeVar, TensorType
from tests.support import mini
from tests.support.mini import sum_of_squares


def identity(name: str = "x") -> Function:
    x = Var(name, TensorType((2,), "float32"))
    return Function((x,), x)


def mixed(a: str = "a", x: str = "x") -> IRModule:
    header = GlobalTypeVar("T")
    functions = {"main": identity(x), "kernel": sum_of_squares(a)}
    return IRModule(functions, {header: TypeData(header, (), ())}, DictAttrs({"k": 1}))


class TestHolding:
    def test_definitions_of_several_languages_stand_side_by_side(self):
        mod = mixed()
        assert [name.name_hint for name in mod] == ["kernel", "main"]
        assert isinstance(mod["kernel"], mini.Function)
        assert isinstance(mod["main"], Function)

    def test_functions_of_a_kind_are_given_in_order_of_name(self):
        mod = mixed().with_functions({"b": identity(), "c": mini.Number(3)})
        assert [name.name_hint for name in mod.functions_of(Expr)] == ["b", "main"]
        assert [name.name_hint for name in mod.functions_of(mini.MiniExpr)] == ["c", "kernel"]
        assert [name.name_hint for name in mod.functions_of(mini.Function)] == ["kernel"]

    @pytest.mark.parametrize(
        "wrong", [3, None, "text", TensorType((2,), "float32"), PatternWildcard()]
    )
    def test_what_is_not_evaluated_is_refused(self, wrong):
        with pytest.raises(
            FieldError, match=f"a module holds functions; found .*{type(wrong).__name__}"
        ):
            IRModule({"kernel": wrong})
        with pytest.raises(FieldError, match="a module holds functions"):
            IRModule().with_function("kernel", wrong)

    def test_definition_without_a_name_is_refused(self):
        with pytest.raises(
            FieldError, match="a function goes by a name or a GlobalVar; found None"
        ):
            IRModule({None: sum_of_squares()})
        with pytest.raises(FieldError, match="a function goes by a name or a GlobalVar"):
            IRModule().with_function(mini.Var("f"), sum_of_squares())

    def test_module_is_made_of_one_definition_of_another_language(self):
        kernel = sum_of_squares()
        assert IRModule.from_expr(kernel)["main"] is kernel


class TestUpdating:
    def test_definition_that_stands_there_changes_nothing(self):
        mod = mixed()
        assert mod.with_function("kernel", mod["kernel"]) is mod

    def test_definition_of_another_language_takes_the_place_of_one_of_relay(self):
        mod = mixed()
        image = mod.with_function("main", mod["kernel"])
        assert image["main"] is mod["kernel"]
        assert image.get_global_var("main") is mod.get_global_var("main")
        assert isinstance(mod["main"], Function)

    def test_type_definitions_and_attributes_stay(self):
        mod = mixed().with_function("other", sum_of_squares())
        assert list(mod.type_definitions) == [mod.get_global_type_var("T")]
        assert mod.attrs == DictAttrs({"k": 1})
        assert mod.with_attrs(None)["kernel"] is mod["kernel"]

    def test_type_put_in_leaves_definitions(self):
        header = GlobalTypeVar("U")
        mod = mixed()
        bigger = mod.with_type(TypeData(header, (), ()))
        assert bigger.functions == mod.functions
        assert set(mod.type_definitions) < set(bigger.type_definitions)

    def test_definition_is_taken_out(self):
        mod = mixed().without_functions(["kernel"])
        assert "kernel" not in mod
        with pytest.raises(UnknownNameError, match="defines no function @kernel"):
            mod["kernel"]

    def test_modules_are_joined(self):
        kernel = sum_of_squares()
        joined = mixed().with_module(IRModule({"other": kernel}))
        assert joined["other"] is kernel
        assert len(joined) == 3

    def test_definition_under_another_variable_of_the_name_is_refused(self):
        with pytest.raises(DuplicateNameError, match="@kernel is defined under another GlobalVar"):
            mixed().with_function(GlobalVar("kernel"), sum_of_squares())

    def test_module_stays_immutable(self):
        mod = mixed()
        with pytest.raises(FrozenNodeError):
            mod["kernel"] = sum_of_squares()
        with pytest.raises(FrozenNodeError):
            mod.functions = {}


class TestComparison:
    def test_equal_up_to_names_of_variables_of_each_language(self):
        assert structural_equal(mixed(), mixed("b", "y"))
        assert structural_hash(mixed()) == structural_hash(mixed("b", "y"))

    def test_other_definition_of_another_language_is_told(self):
        other = mixed().with_function("kernel", mini.Function((), mini.Number(1)))
        assert structural_hash(mixed()) != structural_hash(other)
        found = first_mismatch(mixed(), other)
        assert found is not None
        assert "kernel" in found.path

    def test_definitions_of_two_languages_differ(self):
        relay, foreign = Function((), Constant(1)), mini.Function((), mini.Number(1))
        assert not structural_equal(IRModule({"f": relay}), IRModule({"f": foreign}))


class TestStorage:
    @pytest.mark.parametrize("copied", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
    def test_copies_are_equal_and_share_nothing(self, copied):
        mod = mixed()
        image = copied(mod)
        assert structural_equal(image, mod)
        assert image["kernel"] is not mod["kernel"]
        assert image.attrs == mod.attrs

    def test_names_in_definitions_are_those_of_the_copy(self):
        declared = declared_temporarily()
        with declared:

            @node("launch")
            class Launch(mini.MiniExpr):
                function: GlobalVar

            mod = mixed()
            mod = mod.with_function("go", Launch(mod.get_global_var("main")))
            image = copy.deepcopy(mod)
            assert image["go"].function is image.get_global_var("main")

    def test_repr_names_the_definitions(self):
        assert repr(mixed()) == "IRModule(@kernel, @main; types T)"


class TestModulesOfOtherClasses:
    """A language may have a class of modules of its own, whose names are what it likes."""

    def test_names_may_be_plain_text(self):
        mod = Mini({"f": sum_of_squares()})
        assert list(mod) == ["f"]
        assert mod.with_function("g", mini.Number(1)).get_global_vars() == ("f", "g")
        assert mod.without_functions(["f"]).functions == {}
        assert repr(mod) == "Mini(@f)"

    def test_it_is_compared_pickled_and_kept_of_its_class(self):
        mod = Mini({"f": sum_of_squares()})
        image = pickle.loads(pickle.dumps(mod.with_attrs(DictAttrs({"k": 1}))))
        assert type(image) is Mini
        assert structural_equal(image, Mini({"f": sum_of_squares("x", "y")}, DictAttrs({"k": 1})))
        assert structural_hash(mod) == structural_hash(Mini({"f": sum_of_squares("x", "y")}))

    def test_unknown_name_is_told_with_what_is_near(self):
        with pytest.raises(UnknownNameError, match=r"no function @kernal; did you mean kernel"):
            Mini({"kernel": mini.Number(1)})["kernal"]

    def test_wrong_key_is_told(self):
        with pytest.raises(FieldError, match="a function goes by a name or a str; found 3"):
            Mini({3: mini.Number(1)})


class Mini(Module[str]):
    __slots__ = ()

    @classmethod
    def name_of(cls, key):
        return key if isinstance(key, str) else None

    @classmethod
    def make_name(cls, name):
        return name


def test_module_of_many_definitions_shares_what_does_not_change():
    mod = IRModule({f"f{i}": mini.Number(i) for i in range(2000)})
    image = mod.with_function("f7", mini.Number(0))
    assert sum(image[name] is not mod[name] for name in mod) == 1


def test_field_of_a_definition_is_not_a_definition():
    declared = declared_temporarily()
    with declared:

        class Part(mini.Node, held_as=Role.PART):
            __slots__ = ()

        @node("arm")
        class Arm(Part):
            body: mini.MiniExpr

        with pytest.raises(FieldError, match="which is not evaluated"):
            IRModule({"f": Arm(mini.Number(1))})

"""Declarations of operators that cannot work are refused where they are made."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import relayish as relay
from relayish.errors import DeclarationError, DuplicateNameError
from relayish.op import (
    is_registered,
    register,
    register_gradient,
    register_mixed_precision_conversion,
    register_op,
)
from relayish.op.declaration.target import register_target_support

X = relay.var("x", shape=(2, 3))


@pytest.fixture(autouse=True)
def declarations() -> Iterator[None]:
    with relay.declared_temporarily():
        yield


def short(one):
    """Take too little."""


def long(one, two, three):
    """Take too much."""


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({"rule": short}, ("rule of operator 'odd' is short(one); it is called with 2 arguments: "
         "(attrs, data)")),
        ({"rule": long}, ("rule of operator 'odd' is long(one, two, three); it is called with 2 "
         "arguments: (attrs, data)")),
        ({"evaluate": short}, ("evaluate of operator 'odd' is short(one); it is called with 2 "
         "arguments: (attrs, data)")),
        ({"relation": short}, ("relation of operator 'odd' is short(one); it is called with 3 "
         "arguments: (attrs, types, reporter)")),
        ({"rule": 3}, "rule of operator 'odd' is 3 (int); expected a function of (attrs, data)"),
        ({"rule": lambda *_: None, "relation": lambda *_: None},
         ("operator 'odd' is given rule and relation; a relation stands in place of a rule: leave "
         "one out")),
    ],
)  # fmt: skip
def test_function_that_does_not_fit_is_refused(declared, message):
    with pytest.raises(DeclarationError) as caught:
        register_op("odd", arguments=("data",), **declared)
    assert str(caught.value) == message
    assert not is_registered("odd")


class Held:
    """Holds a function as a method."""

    def method(self, attrs, one):
        """Take what a call gives besides the object."""


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"rule": lambda attrs, a, b: a, "evaluate": lambda attrs, b, a: b},
         ("the arguments of operator 'odd' have no one name each: rule calls them (a, b) and "
          "evaluate calls them (b, a); call them the same, or say them: arguments=('a', 'b')")),
        ({"evaluate": lambda attrs, a: a, "result_size": lambda attrs, b: 1},
         "evaluate calls them (a) and result_size calls them (b); call them the same"),
        ({"rule": lambda attrs, a: a, "evaluate": Held().method},
         "rule calls them (a) and evaluate calls them (one); call them the same"),
        ({"rule": lambda attrs, a: a, "evaluate": lambda attrs, a, b: a},
         "rule calls them (a) and evaluate calls them (a, b); call them the same"),
        ({"arguments": ("data", "k"), "evaluate": Held().method},
         ("evaluate of operator 'odd' is Held.method(attrs, one); it is called with 3 arguments: "
          "(attrs, data, k)")),
    ],
)  # fmt: skip
def test_functions_that_contradict_one_another_are_refused(told, message):
    with pytest.raises(DeclarationError) as caught:
        register_op("odd", **told)
    assert message in str(caught.value)
    assert not is_registered("odd")


@pytest.mark.parametrize(
    "told", [{"arguments": ("class",)}, {"arguments": ("class: int32",)}, {"signature": "class"}]
)
def test_argument_that_is_a_keyword_is_refused(told):
    with pytest.raises(DeclarationError) as caught:
        register_op("odd", **told)
    assert str(caught.value) == (
        "argument 'class' of operator 'odd' has the name of a keyword of Python, so that no call "
        "could name it; choose another, such as 'class_'"
    )


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("odd", "odd.k"), "operator 'odd' has the name of the family that operator 'odd.k' is in"),
        (("odd.k", "odd"), "operator 'odd' has the name of the family that operator 'odd.k' is in"),
        (("odd.k.l", "odd.k"), "operator 'odd.k' has the name of the family that operator 'odd.k"),
        (("nn.relu.odd",), "operator 'nn.relu' has the name of the family that operator 'nn.relu."),
        (("nn",), "operator 'nn' has the name of the family that operator 'nn."),
    ],
)
def test_operator_with_the_name_of_a_family_is_refused(names, said):
    *before, last = names
    for name in before:
        register_op(name, arguments=("data",))
    with pytest.raises(DuplicateNameError) as caught:
        register_op(last, arguments=("data",))
    assert str(caught.value).startswith(said)
    assert str(caught.value).endswith(f"choose another name for operator {last!r}")
    assert last not in relay.op.list_ops("relay")


def test_operator_is_found_beside_a_family_of_another_domain():
    mine = relay.Domain("tests.mine")
    register_op("odd", arguments=("data",), domain=mine)
    register_op("odd.k", arguments=("data",))
    assert relay.op.odd.k(X).op.domain == "relay"
    assert relay.op.operators(mine).odd(X).op.domain == "tests.mine"


@pytest.mark.parametrize("aliases", [("add",), ("contrib_reverse_reshape_odd", "nn.relu")])
def test_alias_that_is_a_name_of_another_operator_is_refused(aliases):
    message = rf"{aliases[-1]!r} would be a name of operator 'odd', and is one of operator"
    with pytest.raises(DuplicateNameError, match=message):
        register_op("odd", arguments=("data",), aliases=aliases)
    assert not is_registered("odd")


def test_name_that_is_an_alias_is_refused():
    register_op("odd", arguments=("data",), aliases=("uneven",))
    with pytest.raises(DuplicateNameError, match="'uneven' would be a name of operator 'uneven'"):
        register_op("uneven", arguments=("data",))


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"arguments": ("data: int33",)},
         ("argument 'data' of operator 'odd' is annotated with 'int33'; expected an element type "
          "that numbers can have, as in 'data: int32', or 'array'")),
        ({"arguments": ("data:",)}, "argument 'data' of operator 'odd' is annotated with ''"),
        ({"signature": "data, k: int33 = 1"}, "argument 'k' of operator 'odd' is annotated with"),
        ({"other_names": {"data": "nosuch"}},
         ("operator 'odd' has 'data' as another name of 'nosuch', which is no parameter; "
          "expected one of data")),
        ({"other_names": {"data": "data"}},
         "operator 'odd' has 'data' as another name of 'data', and as a parameter of its own"),
        ({"chosen_dtype": "nosuch"},
         ("operator 'odd' is told its element type in 'nosuch', which is none of its attributes; "
          "expected none, for it has none")),
        ({"chosen_dtype": "axes", "attrs_type": relay.op.properties.attrs_type.get(
            relay.op.get("sum"))}, "which is none of its attributes; did you mean axis?"),
        ({"commutative": True},
         ("operator 'odd' is commutative and has 1 arguments: (data); expected two, which may be "
          "swapped")),
        ({"overwritable": (1,)},
         "operator 'odd' has argument 1 in overwritable; expected a number from 0 to 0"),
        ({"overwritable": ("data",)}, "operator 'odd' has argument 'data' in overwritable"),
        ({"in_place": ((0,),)},
         "operator 'odd' has (0,) in in_place; expected pairs (argument, result)"),
        ({"in_place": ((3, 0),)}, "operator 'odd' has argument 3 in in_place"),
        ({"arguments": (), "overwritable": (0,)}, "expected none, for it takes no arguments"),
        ({"arguments": (), "view": True}, "operator 'odd' has view and takes no arguments"),
    ],
)  # fmt: skip
def test_reference_to_what_there_is_not_is_refused(told, message):
    given = told if "signature" in told else {"arguments": ("data",), **told}
    with pytest.raises(DeclarationError) as caught:
        register_op("odd", **given)
    assert message in str(caught.value)
    assert not is_registered("odd")


def test_references_to_what_there_is_are_taken():
    register_op(
        "odd",
        arguments=("data", "k: int32"),
        signature="tensor, k",
        other_names={"data_again": "tensor"},
        commutative=True,
        in_place=((0, 0),),
        overwritable=(1,),
    )
    assert relay.op.odd(data_again=X, k=3).args[0] is X


@pytest.mark.parametrize(
    ("told", "value", "expected"),
    [
        ("pattern", "elemwise", "an OpPattern"),
        ("pattern", 99, "an OpPattern"),
        ("outputs", -1, "a number of results, 1 or more, or a function of (attrs, args)"),
        ("mixed_precision", 7, "a MixedPrecision or a function of (call, dtype)"),
        ("attrs_type", dict, "a class that is made by attrs(...)"),
        ("description", 3, "a text"),
        ("aliases", "zz", "a tuple of names"),
        ("other_names", 3, "a dictionary of names"),
        ("static_form", "reshape", "a StaticForm"),
        ("view", "yes", "True or False"),
        ("stateful", 3, "True or False"),
        ("in_place", True, "a tuple of pairs (argument, result)"),
        ("chosen_dtype", 3, "the name of an attribute"),
        ("result_memory", 3, "a ResultMemory"),
    ],
)
def test_value_of_another_type_is_refused(told, value, expected):
    with pytest.raises(DeclarationError) as caught:
        register_op("odd", arguments=("data",), **{told: value})
    found = f"{told} of operator 'odd' is {value!r} ({type(value).__name__})"
    assert str(caught.value) == f"{found}; expected {expected}"
    assert not is_registered("odd")


def test_name_that_is_none_is_refused():
    with pytest.raises(DeclarationError, match="is to be called None; expected a name"):
        register_op(None, arguments=("data",))


def test_numbers_of_relay_stand_for_patterns_and_categories():
    op = register_op("odd", arguments=("data",), pattern=0, mixed_precision=1)
    assert relay.op.properties.pattern.get(op) is relay.op.OpPattern.ELEMWISE
    category, _, _ = relay.op.properties.mixed_precision.get(op)(None, "float16")
    assert category is relay.op.MixedPrecision.FOLLOW


@pytest.mark.parametrize(
    ("register_it", "message"),
    [
        (lambda: relay.op.register_pattern("exp", 99, 20),
         "pattern of operator 'exp' is 99 (int); expected an OpPattern"),
        (lambda: relay.op.register_pattern("exp", None), "pattern of operator 'exp' is None"),
        (lambda: relay.op.register_stateful("exp", "yes", 20),
         "stateful of operator 'exp' is 'yes' (str); expected True or False"),
        (lambda: relay.op.get("exp").set_attr("TOpPattern", "elemwise", 20),
         "pattern of operator 'exp' is 'elemwise' (str); expected an OpPattern"),
        (lambda: relay.op.register_pattern("exp", 0, "high"),
         ("pattern of operator 'exp' is registered at level 'high'; expected a number above 0, 10 "
          "for that of declarations")),
        (lambda: relay.op.register_legalize("exp", lambda *_: None, 0),
         "FTVMLegalize of operator 'exp' is registered at level 0; expected a number above 0"),
    ],
)  # fmt: skip
def test_property_or_level_of_another_type_is_refused(register_it, message):
    with pytest.raises(DeclarationError) as caught:
        register_it()
    assert message in str(caught.value)


def test_what_nothing_was_said_of_is_told_how_to_say_it():
    register_op("odd", arguments=("data",))
    with pytest.raises(relay.errors.TypeInferenceError, match=r"by register_op\(..., rule=...\)"):
        relay.analysis.infer_type(relay.op.call_op("odd", X))
    with pytest.raises(relay.errors.EvaluationError, match=r"by register_op\(..., evaluate=...\)"):
        relay.evaluate(relay.op.call_op("odd", relay.const(1.0)))


@pytest.mark.parametrize(
    "fitting",
    [lambda *args: None, lambda attrs, data, more=1: None, lambda attrs, *rest: None, max],
)
def test_function_that_may_be_called_so_is_taken(fitting):
    register_op("odd", arguments=("data",), rule=fitting)


def test_keyword_that_must_be_given_is_refused():
    def rule(attrs, data, *, strict):
        """Take what nobody gives."""

    with pytest.raises(DeclarationError, match=r"rule\(attrs, data, strict\); it is called with 2"):
        register_op("odd", arguments=("data",), rule=rule)


def test_names_of_arguments_are_taken_under_either_name():
    assert relay.op.properties.arguments.get(register_op("odd", arguments=["a", "b"])) == ("a", "b")
    assert relay.op.properties.arguments.get(register("another.odd", arguments=("a",))) == ("a",)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, r"declared without the names of its arguments; say them: arguments=\('data',\)"),
        ({"arguments": "data"}, r"expected a tuple of the names .*: arguments=\('data',\)$"),
        ({"arguments": 2}, r"is 2; expected a tuple of the names"),
        ({"arguments": ("a b",)}, r"is \('a b',\); expected a tuple of the names"),
        ({"arguments": ("a", "a")}, r"names one twice: \('a', 'a'\)"),
    ],
)
def test_names_of_arguments_that_are_none_are_refused(given, message):
    with pytest.raises(DeclarationError, match=message):
        register_op("odd", **given)


@pytest.mark.parametrize(
    ("register_it", "message"),
    [
        (lambda: register_gradient("exp", short, 99), r"gradient of operator 'exp' is"),
        (lambda: register_mixed_precision_conversion("exp", short, 99), r"of operator 'exp' is"),
        (lambda: register_target_support("exp", "odd", long), r"'odd' takes of operator exp"),
    ],
)  # fmt: skip
def test_property_that_does_not_fit_is_refused(register_it, message):
    with pytest.raises(DeclarationError, match=message):
        register_it()


@pytest.mark.parametrize(
    ("answer", "shown"),
    [(None, "None; expected a type; is a return missing?"), ("int", "'int'; expected a type")],
)
def test_rule_that_returns_no_type_is_named(answer, shown):
    register_op("odd", arguments=("data",), rule=lambda attrs, data: answer)
    with pytest.raises(DeclarationError) as caught:
        relay.analysis.infer_type(relay.odd(X))
    assert str(caught.value) == f"the type rule of operator odd returned {shown}"
    assert "while inferring the type of odd(%x)" in caught.value.__notes__


@pytest.mark.parametrize(
    ("given", "meant"),
    [("evaluated", "evaluate"), ("fuses", "pattern"), ("attrs", "attrs_type"), ("types", "rule")],
)
def test_argument_that_there_is_not_is_refused_with_a_suggestion(given, meant):
    message = rf"register_op has no argument '{given}'; did you mean {meant}\?; it has name, arg"
    with pytest.raises(DeclarationError, match=message):
        register_op("odd", arguments=("data",), **{given: abs})

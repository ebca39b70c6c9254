"""An operator declared by one call has all that operators have."""

from __future__ import annotations

import functools
import inspect
import re

import numpy as np
import pytest

import relayish as relay
from relayish.errors import DeclarationError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.relay.type import TensorType
from relayish.op import (
    MixedPrecision,
    OpPattern,
    get_op,
    is_registered,
    properties,
    register_op,
)
from relayish.op.declaration.properties import ResultMemory
from relayish.op.declaration.record import TABLES
from relayish.op.nn.convolution_attrs import ConvAttrs
from relayish.op.tensor.casting import CastAttrs
from relayish.op.tensor.indexing import TakeAttrs
from relayish.op.types.result_size import bound_result
from relayish.op.types.type_rules import tensor
from relayish.passes.relay.fold.fold_constant import fold_constant
from tests.test_architecture import ROOT

TWO = relay.const(np.array([1.0, 2.0], "float32"))


@pytest.fixture(autouse=True)
def spread():
    """Declare ``tests.spread(data, times)``, which repeats its argument, and returns it besides."""
    with relay.declared_temporarily():

        @attrs("tests.attrs.SpreadAttrs")
        class SpreadAttrs(Attrs):
            """Attributes of ``tests.spread``."""

            times: int

        def spread_type(attrs, data):
            found = tensor(data, "data", 1)
            return relay.TupleType([TensorType((attrs.times, *found.shape), found.dtype), found])

        yield register_op(
            "tests.spread",
            signature="data, times=2",
            description="""
            Repeat a vector.
            data (n,); times how
                often -> a tuple: (times, n), and the data
            It is never there.
            """,
            aliases=("tests.repeated",),
            other_names={"count": "times"},
            attrs_type=SpreadAttrs,
            rule=spread_type,
            evaluate=lambda attrs, data: (np.stack([data] * attrs.times), data),
            outputs=2,
            result_memory=ResultMemory(new=(0,)),
            mixed_precision=MixedPrecision.FOLLOW,
            primal_gradient=lambda call, grad: [relay.sum(grad[0], axis=0) + grad[1]],
            mac_count=lambda attrs, types, result: 7,
        )


def test_arguments_are_the_parameters_that_are_no_attributes(spread):
    assert properties.arguments.get(spread) == ("data",)


def test_builder_has_the_signature_that_is_told(spread):
    assert str(inspect.signature(relay.tests.spread)).startswith("(data, times=2)")
    assert relay.tests.spread(TWO).attrs.times == 2
    assert relay.tests.spread(TWO, 3).attrs.times == 3


def test_builder_is_found_under_its_aliases_and_takes_other_names(spread):
    assert relay.tests.repeated(TWO, count=3).op is spread
    assert relay.tests.repeated(TWO, count=3).attrs.times == 3


def test_builder_is_documented():
    text = inspect.getdoc(relay.tests.spread)
    assert text.startswith("Repeat a vector.\n\nIt is never there.\n\nArgs:\n    data: (n,)\n")
    assert "    times: how often; 2 if left out\n" in text
    assert "Returns:\n    a tuple: (times, n), and the data" in text


def test_call_has_a_text_and_is_read_back():
    call = relay.tests.spread(relay.var("x", shape=(2,)), 3)
    func = relay.Function(relay.analysis.free_vars(call), call)
    text = relay.astext(func)
    assert "tests.spread(%x, times=3)" in text
    assert relay.structural_equal(relay.parse_expr(text), func)


def test_call_has_a_type_and_a_value():
    call = relay.tests.spread(TWO, 3)
    assert (
        str(relay.transform.InferTypeLocal(call))
        == "(Tensor[(3, 2), float32], Tensor[(2), float32])"
    )
    assert relay.create_executor().evaluate(call)[0].tolist() == [[1.0, 2.0]] * 3


def test_call_is_indexed_by_its_results():
    whole, data = relay.tests.spread(TWO)
    assert (whole.index, data.index) == (0, 1)


def test_result_is_bounded_by_its_type_before_it_is_made(spread):
    attrs = relay.tests.spread(TWO, 10**9).attrs
    assert bound_result(spread, attrs, TWO.data) == 2 * 10**9 + 2
    huge = relay.tests.spread(TWO, 10**12)
    assert fold_constant(huge) is huge


def test_operator_is_differentiated():
    x = relay.var("x", shape=(2,))
    total = relay.sum(relay.tests.spread(x, 3)[0])
    func = relay.transform.InferType()(relay.IRModule.from_expr(relay.Function([x], total)))
    _, (grad,) = relay.create_executor().evaluate(relay.transform.gradient(func["main"], func))(
        np.ones(2, "float32")
    )
    assert grad.tolist() == [3.0, 3.0]


def test_every_thing_told_is_in_its_table(spread):
    assert properties.mac_count.get(spread)(None, (), None) == 7
    assert properties.mixed_precision.get(spread)(None, "float16")[0] is MixedPrecision.FOLLOW
    assert properties.outputs.get(spread)(None, ()) == 2
    memory = properties.result_memory.get(spread)
    assert memory.evaluation is properties.evaluate.get(spread)
    assert properties.pattern.get(spread) is OpPattern.OPAQUE


def test_signature_that_is_none_is_refused():
    message = r"signature of operator 'odd' is 'data, \*'; expected a parameter list"
    with pytest.raises(DeclarationError, match=message):
        register_op("odd", signature="data, *")


@pytest.mark.parametrize(
    ("told", "taken"),
    [
        ("outputs", "attrs, args"),
        ("mac_count", "attrs, types, result"),
        ("result_size", "attrs, a"),
    ],
)
def test_function_that_takes_something_else_is_refused(told, taken):
    with pytest.raises(DeclarationError, match=rf"{told} of operator 'odd' .* \({taken}\)"):
        register_op("odd", arguments=("a",), **{told: lambda: 1})


def test_documentation_names_all_that_can_be_told():
    text = (ROOT / "docs" / "how-to" / "add_an_operator.md").read_text(encoding="utf-8")
    table = text.partition("## What can be told")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    named = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert sorted(named) == sorted(["arguments", "signature", *TABLES])


@pytest.mark.parametrize(
    ("signature", "message"),
    [
        ("data, z", r"has the arguments \(data, z\), its declaration \(data\)"),
        ("data,, z", "no list of parameters"),
        ("data=f()", "no list of parameters"),
    ],
)
def test_signature_that_misses_the_arguments_is_refused_by_the_builder(signature, message):
    with relay.declared_temporarily():
        register_op("example.missed", arguments=("data",), signature=signature)
        with pytest.raises(DeclarationError, match=f"the signature of example.missed .*{message}"):
            relay.example.missed(TWO)


@pytest.mark.parametrize(
    ("hint", "expected"),
    [
        (CastAttrs, CastAttrs),
        ("CastAttrs", CastAttrs),
        ("elsewhere.CastAttrs", None),
        (Attrs, None),
        (ConvAttrs, None),  # which is no class of one operator's
        (object, None),
        (None, None),
    ],
)
@pytest.mark.parametrize("told", ["rule", "relation", "evaluate"])
def test_attributes_are_what_functions_of_them_say(told, hint, expected):
    takes = "types, reporter" if told == "relation" else "data"
    scope = {"CastAttrs": CastAttrs}
    exec(f"def function(attrs, {takes}): ...", scope)
    scope["function"].__annotations__ = {} if hint is None else {"attrs": hint, "return": CastAttrs}
    op = register_op("tests.said", arguments=("data",), **{told: scope["function"]})
    assert properties.attrs_type.get(op) is expected
    told_too = {told: scope["function"], "attrs_type": TakeAttrs}
    op = register_op("tests.told", arguments=("data",), **told_too)
    assert properties.attrs_type.get(op) is TakeAttrs


def data_and_k(attrs, data, k):
    """A function that names the arguments."""


def lhs_and_rhs(attrs, lhs, rhs):
    """A function that names them otherwise."""


def data_and_ignored(attrs, data, _):
    """A function that looks at one of them."""


class Operator:
    """Holds the functions of an operator as methods."""

    def data_and_k(self, attrs, data, k):
        """A method that names the arguments."""

    @classmethod
    def of_class(cls, attrs: CastAttrs, data, k):
        """Another, bound to the class, that says which attributes it takes."""


def any_number(attrs, *inputs):
    """A function that does not say how many there are."""


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({"rule": data_and_k, "evaluate": data_and_k}, ("data", "k")),
        ({"rule": data_and_ignored, "evaluate": data_and_k}, ("data", "k")),
        ({"rule": data_and_k, "evaluate": data_and_ignored}, ("data", "k")),
        ({"evaluate": Operator().data_and_k}, ("data", "k")),
        ({"rule": Operator.of_class}, ("data", "k")),
        ({"rule": any_number, "evaluate": lhs_and_rhs}, ("lhs", "rhs")),
        ({"rule": data_and_k, "arguments": ("a", "b")}, ("a", "b")),
        ({"rule": data_and_k, "evaluate": lhs_and_rhs, "arguments": ("a", "b")}, ("a", "b")),
        ({"rule": data_and_k, "signature": "k, data"}, ("k", "data")),
    ],
)
def test_arguments_are_what_functions_of_them_call_them(told, expected):
    op = register_op("tests.said", **told)
    assert properties.arguments.get(op) == expected
    assert properties.num_inputs.get(op) == 2


def test_attributes_are_what_methods_say():
    op = register_op("tests.said", rule=Operator.of_class)
    assert properties.attrs_type.get(op) is CastAttrs


def test_arguments_that_nothing_names_are_missing():
    with pytest.raises(DeclarationError, match=r"'tests[.]said'"):
        register_op("tests.said", evaluate=any_number)


def test_functions_that_may_take_more_than_they_say_name_no_arguments():
    @functools.wraps(data_and_k)
    def wrapper(*args):
        return data_and_k(*args)

    def with_default(attrs, data, k=None):
        return data, k

    for function in (wrapper, with_default, functools.partial(data_and_k, None)):
        with pytest.raises(DeclarationError, match="names of its arguments"):
            register_op("tests.said", rule=function, evaluate=lhs_and_rhs)


@pytest.mark.parametrize("hint", ["CastAttrs | None", "Attrs", int, "NoSuchAttrs", Attrs])
def test_attributes_that_cannot_be_told_are_refused(hint):
    def function(attrs, data):
        return attrs.dtype, data

    function.__annotations__ = {"attrs": hint}
    with pytest.raises(DeclarationError, match=r"names no declared class of .*; say attrs_type="):
        register_op("tests.said", rule=function)
    op = register_op("tests.said", rule=function, attrs_type=CastAttrs)
    assert properties.attrs_type.get(op) is CastAttrs


def test_what_was_declared_for_good_since_is_no_second_claim():
    context, outside = relay.declared_temporarily(), relay.declared_temporarily()

    def declare(text):
        register_op("declared_twice", arguments=("x",), description=text)

    def told():
        return properties.description.get(get_op("declared_twice"))

    with context:
        declare("inside")
    with outside:
        declare("outside")
        with context:
            assert told() == "inside"
        assert told() == "outside"
    assert not is_registered("declared_twice")

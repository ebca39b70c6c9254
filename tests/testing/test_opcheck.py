"""Faults of declarations are found, each with what was declared, found, and what to do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import relayish as relay
from relayish.domain import register_handler
from relayish.errors import CheckError, CodegenError, OpCheckError, OperatorError, UnknownNameError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.op import OpPattern, register_gradient, register_op
from relayish.op.declaration.layout_rule import InferredLayouts
from relayish.op.types.type_rules import tensor
from relayish.passes.relay.to_loops.formulas import elementwise
from relayish.passes.relay.to_loops.refusing import Refusing
from relayish.testing import OpCheckReport, opcheck
from relayish.testing.op_checks.report import Fault
from relayish.testing.op_checks.trial import is_close
from tests.support.depth import DEPTH

DATA = np.array([[1.0, 2.0], [3.0, 4.0]])


@pytest.fixture(autouse=True)
def declarations() -> Iterator[None]:
    with relay.declared_temporarily():
        yield


def declare(evaluate: Any, arguments: tuple[str, ...] = ("data",), **told: Any) -> relay.Op:
    """Declare ``tests.op``, by default with a result of the type of its first argument."""
    if "relation" not in told:
        told.setdefault("rule", lambda _, *types: tensor(types[0], arguments[0]))
    return register_op("tests.op", arguments=arguments, evaluate=evaluate, **told)


def faults(op: relay.Op | str, *args: object, **options: Any) -> list[str]:
    """Return the faults that are found, without the call that shows them."""
    report = opcheck(op, *args, **{"chain": 3, "raise_exception": False, **options})
    assert all(fault.call.startswith(report.operator) for fault in report.failures)
    return [
        f"{fault.check}: {fault.declared} | {fault.found} | {fault.advice}"
        for fault in report.failures
    ]


MEND = "mend the one that is wrong"


def any_layout(attrs: Any, new: Any, old: Any, types: Any) -> InferredLayouts:
    """Take the argument, and give the result, in whatever layout it comes."""
    given = old if new is None else new
    return InferredLayouts(given, given, attrs)


class TestPlantedFaults:
    def test_shape_of_the_value_is_not_that_of_the_rule(self):
        op = declare(lambda _, data: np.concatenate([data, data]))
        assert faults(op, DATA) == [
            (
                "value: its rule says Tensor[(2, 2), float64] | evaluate returned float64[4, "
                "2] | mend the one that is wrong"
            )
        ]

    def test_element_type_of_the_value_is_not_that_of_the_rule(self):
        op = declare(lambda _, data: data > 0)
        assert faults(op, DATA) == [
            f"value: its rule says Tensor[(2, 2), float64] | evaluate returned bool[2, 2] | {MEND}"
        ]

    def test_tuple_of_the_value_has_another_length(self):
        pair = relay.TupleType([relay.TensorType((2, 2), "float64")] * 2)
        op = declare(lambda _, data: (data,), rule=lambda _, data: pair)
        told = f"its rule says ({', '.join(['Tensor[(2, 2), float64]'] * 2)})"
        assert faults(op, DATA) == [
            f"value: {told} | evaluate returned a tuple of 1 field | {MEND}"
        ]

    @pytest.mark.parametrize(
        ("result", "told"),
        [([1.0, 2.0], "a list of 2 fields"), (None, "None"), ("no", "a value of class str")],
    )
    def test_value_is_no_array(self, result, told):
        op = declare(lambda _, data: result, rule=lambda _, data: relay.TensorType((2,)))
        assert faults(op, DATA) == [
            f"value: its rule says Tensor[(2), float32] | evaluate returned {told} | {MEND}"
        ]

    def test_relation_is_called_one(self):
        op = declare(lambda _, data: data[0], relation=lambda _, types, reporter: types[0])
        assert faults(op, DATA)[0].startswith("value: its relation says Tensor[(2, 2), float64] |")

    def test_evaluation_raises_on_what_the_rule_takes(self):
        def evaluate(_: object, data: np.ndarray) -> np.ndarray:
            raise KeyError("no")

        assert faults(declare(evaluate), DATA) == [
            (
                "value: its rule says Tensor[(2, 2), float64] | evaluate raised KeyError: 'no' "
                "| let the rule refuse such arguments, or evaluate take them"
            )
        ]

    def test_gradient_is_wrong(self):
        op = declare(lambda _, data: data * data)
        register_gradient(op, lambda call, grad: [grad * call.args[0]])
        (told,) = faults(op, DATA)
        assert told.startswith(
            "gradient: its gradient with respect to data is 0.12573 at [0, 0] | "
        )
        assert "differences in float64 give 0.25146 (4 of 4 elements differ) | mend" in told

    def test_gradient_misses_an_operand(self):
        op = declare(lambda _, one, two: one * two, ("one", "two"))
        register_gradient(op, lambda call, grad: [grad * call.args[1]])
        assert faults(op, DATA, DATA) == [
            (
                "gradient: it has 2 arguments (one, two) with a gradient each | its gradient "
                "gave 1 of them | "
                "return a list of one expression for each argument, zeros_like(x) for one on "
                "which the result does not depend"
            )
        ]

    def test_gradient_has_another_shape_than_the_argument(self):
        op = declare(lambda _, one, two: one * two, ("one", "two"))
        register_gradient(op, lambda call, grad: [grad * call.args[1], grad * call.args[0]])
        assert faults(op, DATA, DATA[:1]) == [
            (
                "gradient: two is Tensor[(1, 2), float64] | its gradient is float64[2, 2] | "
                "let it have the type of the argument"
            )
        ]

    @pytest.mark.parametrize(
        ("gradient", "told"),
        [
            (lambda call, grad: grad, "its gradient gave Var"),
            (lambda call, grad: [1.0], "its gradient gave what are no expressions"),
            (lambda call, grad: 1 // 0, "its gradient raised ZeroDivisionError: integer div"),
            (lambda call, grad: [relay.Var("free")], "it cannot be computed: "),
        ],
    )
    def test_gradient_is_none(self, gradient, told):
        op = declare(lambda _, data: data)
        register_gradient(op, gradient)
        (found,) = faults(op, DATA)
        assert f" | {told}" in found

    def test_attributes_are_lost_in_text(self):
        @attrs("tests.attrs.RoundedAttrs")
        class RoundedAttrs(Attrs):
            """Attributes that are others when they are made again."""

            by: float = 1.0

            def __init__(self, by: float = 1.0) -> None:
                object.__setattr__(self, "by", by / 2 if by > 2 else by)

        op = declare(lambda _, data: data, attrs_type=RoundedAttrs)
        text = [told for told in faults(op, DATA, by=6.0) if told.startswith("text")]
        assert text == [
            (
                "text: a call with by=3.0 has a text | it is read as by=1.5 | annotate the "
                "fields of its attributes with types that have a text"
            )
        ]

    def test_odd_attributes_are_lost_in_text_where_those_of_the_call_are_not(self):
        @attrs("tests.attrs.HalvedAttrs")
        class HalvedAttrs(Attrs):
            """Attributes of which large ones are others when they are made again."""

            by: float = 1.0
            name: str = "n"

            def __init__(self, by: float = 1.0, name: str = "n") -> None:
                object.__setattr__(self, "by", by / 2 if by > 1e9 else by)
                object.__setattr__(self, "name", name)

        (told,) = faults(declare(lambda _, data: data, attrs_type=HalvedAttrs), DATA, only=["text"])
        assert told.startswith("text: a call with by=5e+299, name=")
        assert "it is read as by=2.5e+299, name=" in told

    def test_attributes_have_no_text(self):
        @attrs("tests.attrs.ThingAttrs")
        class ThingAttrs(Attrs):
            """Attributes that hold anything."""

            thing: object = None

        op = declare(lambda _, data: data, attrs_type=ThingAttrs)
        (told,) = faults(op, DATA, thing=object, only=["text"])
        assert told.startswith("text: a call with thing=<class 'object'> has a text | that cannot ")

    def test_attributes_are_not_compared(self):
        @attrs("tests.attrs.AlikeAttrs")
        class AlikeAttrs(Attrs):
            """Attributes of which one does not count."""

            by: float = 1.0
            to: float = 1.0

            def __eq__(self, other: object) -> bool:
                return self.by == other.by

            def __hash__(self) -> int:
                return hash(self.by)

        op = declare(lambda _, data: data, attrs_type=AlikeAttrs)
        assert faults(op, DATA, only=["equality"]) == [
            (
                "equality: calls with other attributes are unequal | those with by=1.0, to=1.0 and "
                "by=1.0, to=nan are equal | let attributes be compared by all their fields"
            )
        ]

    def test_attributes_that_are_equal_have_hashes_of_their_own(self):
        @attrs("tests.attrs.HashedAttrs")
        class HashedAttrs(Attrs):
            """Attributes that are hashed by identity."""

            by: float = 1.0

            def __eq__(self, other: object) -> bool:
                return isinstance(other, HashedAttrs) and self.by == other.by

            __hash__ = object.__hash__

        (told,) = faults(
            declare(lambda _, data: data, attrs_type=HashedAttrs), DATA, only=["equality"]
        )
        assert told.startswith("equality: calls with equal attributes are equal | two with by=1.0")

    def test_attributes_are_never_equal(self):
        @attrs("tests.attrs.ApartAttrs")
        class ApartAttrs(Attrs):
            """Attributes that are compared by identity."""

            by: float = 1.0
            __eq__ = object.__eq__
            __hash__ = object.__hash__

        op = declare(lambda _, data: data, attrs_type=ApartAttrs)
        assert faults(op, DATA, only=["equality"]) == [
            (
                "equality: calls with equal attributes are equal | two with by=1.0 are not | let "
                "attributes be compared by all their fields"
            )
        ]

    def test_operands_cannot_be_swapped(self):
        op = declare(lambda _, one, two: one - two, ("one", "two"), commutative=True)
        assert faults(op, DATA, DATA + 1) == [
            (
                "commutative: commutative=True | the value of swapped arguments is another | "
                "leave commutative=True out"
            )
        ]

    def test_operands_cannot_be_swapped_at_all(self):
        def evaluate(_: object, one: Any, two: Any) -> Any:
            return one + two.reshape(2)

        op = declare(evaluate, ("one", "two"), commutative=True)
        (told,) = faults(op, DATA, DATA[:1])
        assert "| evaluate raised ValueError on swapped arguments: cannot reshape" in told

    def test_layout_rule_is_wrong(self):
        op = declare(lambda _, data: np.cumsum(data, 1), infer_layout=any_layout)
        (told,) = faults(op, DATA)
        assert told == (
            "layouts: its layout rule takes CN for NC | the result, moved from CN to NC, has "
            "another value | let it answer None where the call would compute something else"
        )

    def test_layout_rule_gives_a_call_that_has_no_value(self):
        def evaluate(_: object, data: Any) -> Any:
            return data + np.zeros((2, 3))

        (told,) = faults(declare(evaluate, infer_layout=any_layout), np.ones((2, 3)))
        assert "a call in these layouts raised ValueError: operands could not" in told

    def test_loops_are_wrong(self, own_loops):
        op = own_loops(lambda x: x + x + 1.0)
        (told,) = faults(op, DATA.astype("float32"))
        assert told == (
            "loops: it is written as loops, which compute what evaluate does | they give "
            "float32[2, 2] [[3. 5.] [7. 9.]], and evaluate float32[2, 2] [[2. 4.] [6. 8.]] | mend "
            "the handler of the task 'loops'"
        )

    def test_loops_cannot_be_written(self, own_loops):
        op = own_loops(lambda x: 1 // 0)
        (told,) = faults(op, DATA)
        assert "| writing them raised ZeroDivisionError: integer division" in told

    def test_evaluation_writes_to_its_argument(self):
        def evaluate(_: object, one: np.ndarray, two: np.ndarray) -> np.ndarray:
            two += 1
            return one + two

        op = declare(evaluate, ("one", "two"))
        assert faults(op, DATA, DATA, only=["arguments"]) == [
            (
                "arguments: evaluate must leave its arguments as they are | it wrote to two | "
                "compute on a copy: two = two.copy()"
            )
        ]

    def test_value_is_another_each_time(self):
        values = iter(range(1000))
        op = declare(lambda _, data: data + next(values))
        assert faults(op, DATA)[0] == (
            "deterministic: it is declared neither stateful nor random | evaluate returned another "
            "value the second time | declare stateful=True, or take what decides as an argument, "
            "such as a key"
        )

    @pytest.mark.parametrize("flag", ["stateful", "random"])
    def test_value_may_be_another_where_that_is_declared(self, flag):
        values = iter(range(1000))
        op = declare(lambda _, data: data + next(values), **{flag: True})
        assert faults(op, DATA) == []

    def test_rule_says_more_of_unknown_sizes_than_is_known(self):
        def rule(_: object, data: relay.Type) -> relay.Type:
            shape = tensor(data, "data").shape
            return data if all(isinstance(size, int) for size in shape) else relay.TensorType((7,))

        assert faults(declare(lambda _, data: data, rule=rule), DATA) == [
            (
                "unknown sizes: its rule says Tensor[(7), float32] of arguments (Tensor[(?, "
                "?), float64]) | the value can be float64[2, 2] | let it answer Any() for a "
                "size that it does not know"
            )
        ]

    def test_rule_says_more_of_one_unknown_size_than_is_known(self):
        def rule(_: object, *types: relay.Type) -> relay.Type:
            first, *others = (isinstance(ty.shape[0], relay.Any) for ty in types)
            return relay.TensorType((9,)) if first and not any(others) else types[0]

        op = declare(lambda _, a, b, c: a, ("a", "b", "c"), rule=rule)
        (told,) = faults(op, np.ones(3), np.ones(4), np.ones(5))
        assert "of arguments (Tensor[(?), float64], Tensor[(4), float64], Tensor[(5), " in told

    def test_rule_says_more_of_named_sizes_than_is_known(self):
        def rule(_: object, one: relay.Type, two: relay.Type) -> relay.Type:
            return two if isinstance(two.shape[0], relay.SizeVar) else one

        op = declare(lambda _, one, two: one, ("one", "two"), rule=rule)
        (told,) = faults(op, np.ones(3), np.ones(4))
        assert told == (
            "unknown sizes: its rule says Tensor[(n4), float64] of arguments (Tensor[(n3), "
            "float64], Tensor[(n4), float64]) | the value can be float64[3], where n3 is 3, where "
            "n4 is 4 | let it answer Any() for a size that it does not know"
        )

    def test_rule_cannot_take_unknown_sizes(self):
        def rule(_: object, data: relay.Type) -> relay.Type:
            return relay.TensorType((len(range(data.shape[0])),), data.dtype)

        op = declare(lambda _, data: data, rule=rule)
        (told,) = faults(op, np.ones(3))
        assert told.startswith(
            "unknown sizes: its rule is asked of arguments (Tensor[(?), float64])"
        )
        assert "it raised TypeError: 'Any' object cannot be interpreted as an integer" in told

    @pytest.mark.parametrize("pattern", [OpPattern.ELEMWISE, OpPattern.BROADCAST])
    def test_pattern_of_elements_is_none(self, pattern):
        op = declare(lambda _, data: np.sort(data), pattern=pattern)
        (told,) = faults(op, DATA[::-1, ::-1].copy(), only=["pattern"])
        assert told == (
            f"pattern: pattern={pattern.name} | elements of the result depend on others than "
            "those at their place | declare OpPattern.INJECTIVE, or OPAQUE by leaving the "
            "pattern out"
        )

    def test_elements_of_what_is_stateful_may_be_any(self):
        values = iter(range(1000))
        op = declare(lambda _, data: data + next(values), pattern=OpPattern.ELEMWISE, stateful=True)
        assert faults(op, DATA) == []

    def test_elements_of_scalars_and_of_smaller_arguments_are_at_their_place(self):
        op = declare(lambda _, one, two: one + two, ("one", "two"), pattern=OpPattern.BROADCAST)
        assert faults(op, 1.0, 2.0, only=["pattern"]) == []
        assert faults(op, DATA, DATA[0], only=["pattern"]) == []

    def test_pattern_of_elements_has_another_shape(self):
        op = declare(
            lambda _, data: data[0],
            rule=lambda _, data: relay.TensorType(data.shape[1:], data.dtype),
            pattern=OpPattern.ELEMWISE,
        )
        (told,) = faults(op, DATA)
        assert "| arguments of shape (2, 2) give a result of shape (2,) |" in told

    @pytest.mark.parametrize(
        ("declared", "told"),
        [
            ({"mark": True}, "mark: mark=True | the result is not the argument itself |"),
            ({"view": True}, "view: view=True | the result has other elements than its argument |"),
            ({"outputs": 2}, "outputs: outputs=2 | evaluate returned float64[2, 2] |"),
            (
                {"result_size": lambda _, data: 3},
                "result_size: result_size says 3 elements at most",
            ),
            ({"shape_only": np.zeros}, "shape_only: shape_only tells the val"),
        ],
    )
    def test_what_is_declared_of_the_result_does_not_hold(self, declared, told):
        found = faults(declare(lambda _, data: data + 1, **declared), DATA, only=["properties"])
        assert [each[: len(told)] for each in found] == [told]

    def test_chain_of_calls_has_no_type(self, monkeypatch):
        def refuse(func: relay.Function) -> None:
            raise RecursionError("too deep")

        op = declare(lambda _, data: data)
        monkeypatch.setattr("relayish.testing.op_checks.texts.infer_type", refuse)
        assert faults(op, DATA, chain=4000, only=["depth"]) == [
            (
                "depth: a chain of 4,000 calls has a type, as one has | inferring and writing "
                "it raised RecursionError: too deep | let the rule look at the types alone "
                "that it is given"
            )
        ]


@pytest.fixture
def own_loops() -> Any:
    """Return what declares an operator that doubles, of a domain whose loops have a formula."""

    def make(formula: Any) -> relay.Op:
        made = register_op(
            "double",
            domain=relay.Domain("tests_doubling"),
            arguments=("data",),
            rule=lambda _, data: data,
            evaluate=lambda _, data: data + data,
            pattern=OpPattern.ELEMWISE,
        )

        @register_handler("loops")
        class Doubling(Refusing, domain="tests_doubling"):
            """Has a formula for the operator."""

            handle_double = elementwise(formula)

        return made

    return make


class TestCalls:
    def test_calls_are_drawn_that_the_rule_takes(self):
        def rule(_: object, data: relay.Type, index: relay.Type) -> relay.Type:
            if tensor(index, "index").dtype != "int64" or len(tensor(data, "data").shape) != 3:
                raise relay.TypeInferenceError("other types")
            return data

        report = opcheck(
            declare(lambda _, data, index: data, ("data", "index"), rule=rule), chain=3
        )
        assert report.calls[0] == "tests.op(Tensor[(2, 3, 4), float64], Tensor[(2, 3, 4), int64])"
        assert len(report.calls) == len(set(report.calls)) == 3

    def test_calls_without_a_value_are_left_aside(self):
        def evaluate(_: object, data: np.ndarray) -> np.ndarray:
            if data.dtype != "int32":
                raise ValueError("no int32")
            return data

        report = opcheck(declare(evaluate), chain=3)
        assert all("int32" in call for call in report.calls)

    def test_values_are_asked_for_where_those_that_are_drawn_are_refused(self):
        told = r"no arguments on which invert_permutation has a value; give some: opcheck\("
        with pytest.raises(OperatorError, match=told):
            opcheck("invert_permutation")
        assert opcheck("invert_permutation", np.array([1, 0]), chain=3).value.tolist() == [1, 0]

    def test_one_of_the_calls_that_fail_is_told(self):
        def evaluate(_: object, data: np.ndarray) -> np.ndarray:
            raise KeyError(data.dtype)

        report = opcheck(declare(evaluate), chain=3, raise_exception=False)
        assert (len(report.calls), [fault.check for fault in report.failures]) == (1, ["value"])

    def test_refusal_of_values_that_are_given_is_a_fault(self):
        (told,) = faults("invert_permutation", np.array([7]))
        assert "| evaluate raised EvaluationError: data is no permutation" in told
        assert told.endswith("| give arguments that have a value, or let evaluate take these")

    def test_so_many_calls_are_drawn_as_are_asked_for(self):
        op = declare(lambda _, data: data)
        assert [len(opcheck(op, samples=n, only="value").calls) for n in (0, 1, 7)] == [1, 1, 7]

    def test_types_that_follow_from_others_are_drawn(self):
        assert opcheck("nn.dense", samples=4, chain=3).failures == ()

    def test_tuples_are_drawn(self):
        assert "((Tensor[" in "".join(opcheck("concatenate", axis=0, chain=3).calls)

    def test_no_arguments_are_found(self):
        def rule(_: object, data: relay.Type) -> relay.Type:
            raise KeyError("never")

        told = r"no arguments that the rule of tests\.op takes: of most it says KeyError: 'never'; "
        with pytest.raises(OperatorError, match=told):
            opcheck(declare(lambda _, data: data, rule=rule))

    @pytest.mark.parametrize(
        ("op", "told"),
        [
            (
                "zeros",
                r"TypeInferenceError: zeros\(\): the shape of the result is not given",
            ),
            ("dyn.reshape", r"newshape must have 1 dimensions"),
            (
                "tests.open",
                r"open\(%data\) is Tensor\[\(\?\), float32\], which is of no known",
            ),
        ],
    )
    def test_what_is_missing_is_told_where_no_arguments_are_found(self, op, told):
        register_op(
            "tests.open",
            arguments=("data",),
            rule=lambda _, data: relay.TensorType((relay.Any(),)),
            evaluate=lambda _, data: data,
        )
        with pytest.raises(OperatorError, match=told):
            opcheck(op)

    def test_numbers_and_tuples_of_arrays_are_taken(self):
        assert opcheck("add", 1.0, np.float32(2), chain=3).value == 3
        assert opcheck("concatenate", (DATA, DATA), axis=1, chain=3).value.shape == (2, 4)

    def test_call_is_taken(self):
        x = relay.var("x", shape=(2, 3))
        report = opcheck(relay.multiply(x, relay.const(2.0)), chain=3)
        assert report.calls == ("multiply(Tensor[(2, 3), float32], float32)",)

    def test_variables_are_drawn_also_in_tuples(self):
        x = relay.var("x", shape=(2,), dtype="int8")
        joined = relay.concatenate([x, relay.const(np.int8([7]))], axis=0)
        assert opcheck(joined, chain=3).value.tolist()[2:] == [7]
        assert opcheck("add", x, np.int8(5), chain=3).calls == ("add(Tensor[(2), int8], int8)",)

    def test_call_of_an_operator_without_arguments(self):
        assert opcheck("zeros", shape=(2,), dtype="int8", chain=3).value.tolist() == [0, 0]

    @pytest.mark.parametrize(
        ("make", "told"),
        [
            (lambda: relay.exp(relay.Var("x")), "argument %x of exp"),
            (lambda: relay.exp(relay.exp(relay.const(1.0))), "argument exp"),
            (lambda: relay.Call(relay.Var("f"), []), "opcheck takes a call of an operator"),
        ],
    )
    def test_call_without_values_is_refused(self, make, told):
        with pytest.raises(OperatorError, match=told):
            opcheck(make())

    def test_call_with_arguments_beside_is_refused(self):
        with pytest.raises(OperatorError, match="and nothing beside it"):
            opcheck(relay.exp(relay.const(1.0)), 1.0)


class TestReport:
    def test_all_faults_are_raised_together(self):
        def evaluate(_: object, data: np.ndarray) -> np.ndarray:
            data += 1
            return data > 0

        with pytest.raises(OpCheckError) as caught:
            opcheck(declare(evaluate), DATA, chain=3)
        assert str(caught.value) == (
            "opcheck finds 2 faults in operator tests.op:\n  value: its rule says Tensor[(2, 2), "
            "float64], but evaluate returned bool[2, 2], in tests.op(Tensor[(2, 2), float64]); "
            "mend the one that is wrong\n  arguments: evaluate must leave its arguments as they "
            "are, but it wrote to data, in tests.op(Tensor[(2, 2), float64]); compute on a copy: "
            "data = data.copy()"
        )
        assert caught.value.failures == caught.value.report.failures
        assert isinstance(caught.value, CheckError)

    def test_report_is_a_table(self):
        op = declare(lambda _, data: data > 0)
        shown = str(opcheck(op, DATA, only=["value", "commutative"], raise_exception=False))
        assert shown == (
            "opcheck of tests.op\n  tests.op(Tensor[(2, 2), float64])\n"
            "  value        fault    its rule says Tensor[(2, 2), float64], but evaluate returned "
            "bool[2, 2], in tests.op(Tensor[(2, 2), float64]); mend the one that is wrong\n"
            "  commutative  skipped  no commutative is declared"
        )

    def test_long_faults_are_cut(self):
        lengths = {}
        for count in (1, 400):
            made = Fault("value", "f()", "d" * count, "found", "mend it")
            shown = str(OpCheckReport("f", ("f()",), failures=(made,)))
            lengths[count] = len(shown.splitlines()[-1])
        assert lengths[1] == len("  value  fault    d, but found, in f(); mend it")
        assert lengths[400] == len("  value  fault    ") + 400

    def test_report_without_faults_is_returned(self):
        report = opcheck("tanh", only="value")
        assert (report.check(), report.passed) == (report, ("value",))

    def test_fault_of_several_calls_is_told_once(self):
        report = opcheck(declare(lambda _, data: data > 0), chain=3, raise_exception=False)
        assert [fault.check for fault in report.failures] == ["value"]

    def test_unknown_check_is_refused(self):
        with pytest.raises(UnknownNameError, match="no check 'gradiant'; did you mean gradient"):
            opcheck("tanh", only=["gradiant"])


@pytest.mark.parametrize("op", ["tanh", "nn.softmax", "transpose", "split", "strided_slice"])
def test_operators_of_the_library_agree_with_themselves(op):
    given: dict[str, Any] = {
        "split": {"indices_or_sections": 2},
        "strided_slice": {"begin": (0,), "end": (1,)},
    }
    assert opcheck(op, DATA, chain=3, **given.get(op, {})).failures == ()


def test_gradient_is_compared_in_double_precision_alone():
    report = opcheck("tanh", DATA.astype("float32"), only=["gradient"])
    assert "gradient" in report.passed
    report = opcheck("tanh", DATA.astype("float16"), only=["gradient"])
    assert "gradient" in report.passed
    report = opcheck("negative", np.ones(2, "int32"), only=["gradient"])
    assert report.skipped["gradient"].startswith("finite differences are fine enough in float64")
    report = opcheck("cast", DATA, dtype="float32", only=["gradient"])
    assert report.skipped["gradient"].endswith("which it does not give here")


def test_gradients_of_large_arguments_are_not_compared():
    assert "gradient" in opcheck("negative", np.ones(1024), only=["gradient"]).passed
    skipped = opcheck("negative", np.ones(1025), only=["gradient"]).skipped
    assert skipped["gradient"] == "the arguments have more than 1024 elements"


@pytest.mark.parametrize(
    ("found", "wanted", "near"),
    [
        (np.float64(1.0), np.float64(1.0009), True),
        (np.float64(1.0), np.float64(1.01), False),
        (np.float16(1.0), np.float16(1.01), True),
        (np.float16(1.0), np.float16(1.1), False),
        (np.float32(1.0), np.float64(1.0), False),
        (np.ones(1), np.float64(1.0), False),
        (np.int64(2**60), np.int64(2**60 + 1), False),
        (np.float64(7.0), np.float64("nan"), True),
        ((np.float64(1.0), np.True_), (np.float64(1.0), np.True_), True),
        ((np.float64(1.0), np.True_), (np.float64(1.0), np.False_), False),
        ((np.float64(1.0),), (np.float64(1.0), np.True_), False),
    ],
)
def test_values_are_close(found, wanted, near):
    assert is_close(found, wanted) is near


@pytest.mark.deep
@pytest.mark.filterwarnings("error")
def test_gradient_is_compared_where_some_values_are_not_finite():
    report = opcheck("sqrt", np.array([-1.0, np.inf, 4.0]), chain=3, only="gradient")
    assert report.passed == ("value", "gradient")


@pytest.mark.deep
def test_chain_is_as_deep_as_is_asked():
    assert opcheck("tanh", DATA, chain=DEPTH, only=["depth"]).passed == ("value", "depth")


def test_loops_are_compiled_where_that_is_asked(monkeypatch):
    compiled = []

    def build(mod: relay.IRModule) -> Any:
        compiled.append(mod)
        return relay.codegen.build_network(mod)

    monkeypatch.setattr("relayish.testing.op_checks.loops.build_network", build)
    assert "loops" in opcheck("tanh", DATA, only=["loops"]).passed
    assert compiled == []
    assert "loops" in opcheck("tanh", DATA, only=["loops"], in_c=True).passed
    assert len(compiled) == 1


def test_loops_in_c_are_wrong(monkeypatch):
    monkeypatch.setattr(
        "relayish.testing.op_checks.loops.build_network", lambda mod: lambda data: -data
    )
    report = opcheck("tanh", DATA, only=["loops"], in_c=True, raise_exception=False)
    assert (
        report.failures[0].declared
        == "it is written as loops in C, which compute what evaluate does"
    )


def test_loops_that_c_cannot_say_are_left_aside(monkeypatch):
    def refuse(mod: relay.IRModule) -> None:
        raise CodegenError("no compiler")

    monkeypatch.setattr("relayish.testing.op_checks.loops.build_network", refuse)
    report = opcheck("tanh", DATA, only=["loops"], in_c=True)
    assert report.skipped["loops"] == "C cannot say them: no compiler"

"""Operators belong to domains; two domains may have an operator of one name."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import relayish as relay
from relayish.analysis import infer_type, list_op_freqs
from relayish.dataflow_pattern import is_op, wildcard
from relayish.errors import (
    AmbiguousNameError,
    DeclarationError,
    DuplicateNameError,
    OperatorError,
    UnknownNameError,
)
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.domains.domain import Domain, get_domain, is_domain
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.equality.structural_hash import structural_hash
from relayish.ir.registration.declarations import declared_temporarily
from relayish.ir.relay.expr import Call, Function, Op
from relayish.ir.relay.op import intern_op, op_of
from relayish.op import (
    builder,
    call_op,
    get_op,
    is_registered,
    list_ops,
    operators,
    register_gradient,
    register_mixed_precision_conversion,
    register_op,
)
from relayish.op.declaration import properties
from relayish.testing import TempOpAttr
from relayish.transform import (
    CombineParallelDense,
    DeadCodeElimination,
    EliminateCommonSubexpr,
    FastMath,
    FoldConstant,
    FuseOps,
    SimplifyExpr,
)

ADD = get_op("add")
X = relay.var("x", shape=(2,), dtype="float32")


@attrs("tests.attrs.LatticeAttrs")
class LatticeAttrs(Attrs):
    """Attributes of the other ``add``."""

    by: float = 1.0


pytestmark = pytest.mark.usefixtures("declarations")


@pytest.fixture
def lattices():
    return Domain("lattices")


@pytest.fixture
def other_add(lattices):
    """``lattices::add``, which subtracts."""
    return register_op(
        "add",
        arguments=("lhs", "rhs"),
        domain=lattices,
        rule=lambda _attrs, lhs, _rhs: lhs,
        evaluate=lambda _attrs, lhs, rhs: lhs - rhs,
    )


# Declaring


def test_operator_belongs_to_relays_domain_unless_it_says_another(lattices):
    assert register_op("tests.own", arguments=()).domain == "relay"
    assert register_op("tests.own", arguments=(), domain=lattices).domain == "lattices"
    assert register_op("tests.more", arguments=(), domain="lattices").domain == "lattices"


def test_every_operator_of_relay_is_one_of_its_domain():
    assert all(get_op(name).domain == "relay" for name in list_ops("relay"))
    assert "nn.relu" in list_ops("relay")
    assert get_domain("relay").operators["add"].num_children == 2


def test_operators_of_one_name_are_two_nodes(other_add):
    assert other_add is not ADD
    assert (other_add.name, other_add.domain) == ("add", "lattices")
    assert get_domain("lattices").operators["add"].num_children == 2


def test_second_operator_of_a_domain_and_name_is_refused(other_add):
    with pytest.raises(DuplicateNameError, match="'add' is declared twice in domain lattices"):
        register_op("add", arguments=("x",), domain="lattices")
    assert properties.arguments.get(other_add) == ("lhs", "rhs")


def test_operator_of_an_undeclared_domain_is_refused():
    with pytest.raises(UnknownNameError, match="no domain 'latices' is declared"):
        register_op("add", arguments=(), domain="latices")
    assert get_op("add") is ADD


def test_name_with_the_mark_of_domains_is_refused():
    with pytest.raises(DeclarationError, match=r"register_op\('b', domain='a'\)"):
        register_op("a::b", arguments=())


# Looking up


def test_bare_name_of_several_domains_is_refused_and_names_both(other_add):
    with pytest.raises(AmbiguousNameError) as caught:
        get_op("add")
    said = str(caught.value)
    assert "'relay' and 'lattices'" in said
    assert "get_op('lattices::add') or get_op('add', domain='lattices')" in said
    assert isinstance(caught.value, UnknownNameError)


@pytest.mark.parametrize("find", [get_op, Op.get, relay.op.get, relay.op.op.get, relay.get_op])
def test_qualified_name_finds_the_one_that_is_meant(find, other_add):
    assert find("lattices::add") is other_add is find("add", "lattices")
    assert find("relay::add") is ADD is find("add", "relay")
    with pytest.raises(AmbiguousNameError):
        find("add")


def test_domain_may_be_given_as_such(lattices, other_add):
    assert get_op("add", lattices) is other_add


def test_bare_name_that_one_domain_has_is_enough(lattices):
    made = register_op("join", arguments=(), domain=lattices)
    assert get_op("join") is made
    assert is_registered("join")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("latices::add", "no domain 'latices' is declared; did you mean lattices"),
        ("lattices::ad", "no operator 'ad' is declared in domain lattices; did you mean add"),
        ("relay::ad", "no operator 'ad' is declared; did you mean"),
        ("lattices::nn.relu", "no operator 'nn.relu' is declared in domain lattices"),
    ],
)
def test_unknown_qualified_name_is_refused(name, said, other_add):
    with pytest.raises(UnknownNameError, match=said):
        get_op(name)


def test_declared_operator_stands_for_its_name(other_add):
    assert get_op(other_add) is other_add
    with pytest.raises(OperatorError, match="this node of operator lattices::add is not the"):
        get_op(Op("add", "lattices"))
    with pytest.raises(UnknownNameError, match="no operator 'join' is declared in domain lattices"):
        get_op(intern_op("join", "lattices"))


def test_registered_is_asked_of_the_operator_not_of_its_name(lattices, other_add):
    assert is_registered(other_add)
    assert is_registered("lattices::add")
    assert is_registered("add", lattices)
    assert not is_registered(intern_op("nn.relu", "lattices"))
    assert not is_registered("lattices::nn.relu")
    assert not is_registered(Op("add"))


def test_listed_names_are_those_by_which_operators_are_found(lattices, other_add):
    register_op("join", arguments=(), domain=lattices)
    names = list_ops()
    assert {"lattices::add", "relay::add", "join", "subtract"} <= set(names)
    assert "add" not in names
    assert len({get_op(name) for name in names}) == len(names)
    assert list_ops(lattices) == ("add", "join") == list_ops("lattices")
    assert "add" in list_ops("relay")


def test_full_name_tells_operators_apart(other_add):
    named = [ADD, other_add, intern_op("a::b"), intern_op("b", "a"), intern_op("x y", "lattices")]
    assert [op.full_name for op in named] == [
        "add",
        "lattices::add",
        "relay::a::b",
        "a::b",
        "lattices::x y",
    ]
    assert [op_of(op.full_name) for op in named] == named


# Nodes


def test_operators_of_two_domains_are_not_equal(other_add):
    ours, theirs = Call(ADD, (X, X)), Call(other_add, (X, X))
    assert not structural_equal(ours, theirs)
    assert not structural_equal(ADD, other_add)
    assert structural_equal(other_add, Op("add", "lattices"))
    assert structural_hash(ours) != structural_hash(theirs)


def test_operator_is_its_own_copy_in_every_domain(other_add):
    for op in (ADD, other_add, intern_op("not declared", "nowhere")):
        assert pickle.loads(pickle.dumps(op)) is op
        assert copy.deepcopy(op) is op is copy.copy(op)
    call = pickle.loads(pickle.dumps(Call(other_add, (X, X))))
    assert call.op is other_add


def test_repr_tells_the_domain_where_it_is_not_relays(other_add):
    assert repr(ADD) == "Op(name='add')"
    assert repr(other_add) == "Op(name='add', domain='lattices')"


# Building


def test_name_space_of_operators_means_relays(other_add):
    assert relay.add(X, X).op is ADD
    assert relay.op.add(X, X).op is ADD
    assert builder("add")(X, X).op is ADD
    assert (X + X).op is ADD
    assert "add" in dir(relay.op)


def test_builders_of_a_domain_are_found_in_it(lattices, other_add):
    register_op("deep.join", arguments=("a",), domain=lattices)
    found = operators(lattices)
    assert found.add(X, X).op is other_add
    assert found.deep.join(X).op.name == "deep.join"
    assert dir(found) == ["add", "deep"]
    assert builder("lattices::add")(X, X).op is other_add
    assert operators("relay").add(X, X).op is ADD
    assert operators("relay").nn.contrib_conv2d_nchwc is relay.nn.contrib_conv2d_nchwc
    with pytest.raises(AttributeError, match="'subtract' is declared"):
        found.subtract  # noqa: B018 - it raises
    with pytest.raises(UnknownNameError, match="no domain 'latices'"):
        operators("latices")


def test_builder_has_no_signature_or_documentation_of_relays_operator(lattices):
    made = register_op("clip", arguments=("data",), attrs_type=LatticeAttrs, domain=lattices)
    call = operators(lattices).clip(X, by=2)
    assert (call.op, call.attrs) == (made, LatticeAttrs(by=2.0))
    assert "lattices::clip" in operators(lattices).clip.__doc__
    assert relay.clip(X, 0, 1).op is get_op("relay::clip")


def test_sizes_do_not_lead_to_an_operator_of_relay(lattices):
    made = register_op("reshape", arguments=("data", "newshape"), domain=lattices)
    assert operators(lattices).reshape(X, X).op is made


def test_attribute_of_several_other_domains_is_refused(lattices):
    register_op("join", arguments=(), domain=lattices)
    assert relay.join().op is get_op("lattices::join")
    register_op("join", arguments=(), domain=Domain("rings"))
    with pytest.raises(AttributeError, match="'lattices' and 'rings'"):
        relay.op.join  # noqa: B018 - it raises
    with pytest.raises(AmbiguousNameError):
        builder("join")


def test_call_by_an_ambiguous_name_is_refused(other_add):
    with pytest.raises(AmbiguousNameError):
        call_op("add", X, X)
    assert call_op("lattices::add", X, X).op is other_add
    assert call_op(other_add, X, X).op is other_add


def test_python_operators_and_truth_are_relays(lattices):
    made = register_op("less", arguments=("a", "b"), domain=lattices)
    assert bool(Call(made, (X, X)))
    with pytest.raises(OperatorError):
        bool(Call(get_op("relay::less"), (X, X)))


# What is known about them


def test_properties_are_told_of_one_operator_alone(lattices):
    made = register_op("exp", arguments=("a",), domain=lattices, stateful=True)
    exp = get_op("relay::exp")
    assert (properties.stateful.get(made), properties.stateful.get(exp)) == (True, None)
    with TempOpAttr("lattices::exp", properties.pattern, properties.OpPattern.ELEMWISE):
        assert properties.pattern.get(made) is properties.OpPattern.ELEMWISE
    with pytest.raises(AmbiguousNameError):
        TempOpAttr("exp", properties.stateful, True)


def test_gradient_and_conversion_belong_to_one_operator(other_add):
    register_gradient("lattices::add", lambda call, grad: [grad, grad])
    register_gradient(get_op("relay::exp"), lambda call, grad: [grad], level=11)
    register_mixed_precision_conversion("lattices::add", lambda call, dtype: (1, dtype, dtype))
    with pytest.raises(AmbiguousNameError):
        register_gradient("add", lambda call, grad: [])
    assert properties.primal_gradient.get(other_add) is not properties.primal_gradient.get(ADD)
    assert properties.mixed_precision.get(other_add) is not properties.mixed_precision.get(ADD)


def test_gradient_may_be_told_before_the_operator_is_declared(lattices):
    gradient = register_gradient("lattices::late", lambda call, grad: [grad])
    made = register_op("late", arguments=("a",), domain=lattices)
    assert properties.primal_gradient.get(made) is gradient


def test_types_and_values_are_those_of_the_domain(other_add):
    func = Function((X,), Call(other_add, (X, Call(ADD, (X, X)))))
    assert infer_type(func).body.checked_type == infer_type(func).params[0].checked_type
    value = relay.create_executor().evaluate(func)(np.array([1, 2], "float32"))
    assert value.tolist() == [-1, -2]


def test_operator_as_a_value_has_the_type_of_its_own_relation(other_add):
    func = Function((X,), relay.Let(f := relay.var("f"), other_add, Call(f, (X, X))))
    assert str(infer_type(func).ret_type or infer_type(func).body.checked_type).startswith("Tensor")


def test_error_names_the_domain(other_add):
    with pytest.raises(OperatorError, match="lattices::add is called with 1 arguments"):
        call_op(other_add, X)


def test_counts_are_kept_apart(other_add):
    func = Function((X,), Call(other_add, (X, Call(ADD, (X, X)))))
    assert list_op_freqs(relay.IRModule.from_expr(func)) == {"add": 1, "lattices::add": 1}


# Patterns and passes


def test_pattern_matches_the_operator_of_one_domain(other_add):
    ours, theirs = Call(ADD, (X, X)), Call(other_add, (X, X))
    pattern = is_op("lattices::add")(wildcard(), wildcard())
    assert pattern.match(theirs)
    assert not pattern.match(ours)
    assert (wildcard() + wildcard()).match(ours)
    assert not (wildcard() + wildcard()).match(theirs)
    assert is_op(other_add).match(other_add)
    assert str(is_op(other_add)) == "lattices::add"
    with pytest.raises(AmbiguousNameError):
        is_op("add")


@pytest.fixture
def shadowed(lattices):
    """A domain that has every name of Relay's, of operators without effects or values."""
    for name in list_ops("relay"):
        count = properties.arguments.get(get_op(name, "relay"))
        register_op(name, arguments=count, domain=lattices, rule=lambda _attrs, *types: types[0])
    return lattices


@pytest.mark.parametrize(
    "run",
    [
        CombineParallelDense,
        DeadCodeElimination,
        EliminateCommonSubexpr,
        FastMath,
        FoldConstant,
        FuseOps,
        SimplifyExpr,
    ],
)
def test_passes_do_to_relays_operators_what_they_did(run, shadowed):
    text = """#[version = "0.0.5"]
    def @main(%x: Tensor[(2, 4), float32], %w: Tensor[(3, 4), float32]) {
      %0 = nn.dense(%x, %w, units=None);
      %1 = reshape(reshape(%0, newshape=[3, 2]), newshape=[6]);
      let %unused = exp(%1);
      (exp(%1) + exp(%1), zeros_like(%x) + %x * 1f, (1f + 2f) * %x, nn.dense(%x, %w, units=None))
    }"""
    mod = relay.transform.InferType()(relay.parse(text))
    out = run()(mod)
    with_shadow = relay.astext(out)
    for name in list_ops(shadowed):  # the same without the other domain
        assert f"lattices::{name}(" not in with_shadow
    assert structural_equal(relay.parse(with_shadow), out)


def test_passes_leave_operators_that_are_only_called_like_relays(shadowed):
    found = operators(shadowed)
    product = found.multiply(X, found.zeros_like(X))
    func = Function((X,), found.clip(found.clip(product)))
    mod = relay.IRModule.from_expr(func)
    for run in (SimplifyExpr(), FoldConstant(), FastMath()):
        assert structural_equal(run(mod), mod)


def test_undeclared_operator_of_a_declared_name_may_do_anything(lattices):
    unknown = Call(intern_op("exp", "lattices"), (X,))
    body = relay.Let(relay.var("unused"), unknown, X)
    mod = relay.IRModule.from_expr(Function((X,), body))
    assert structural_equal(DeadCodeElimination()(mod), mod)


# Families, as domains


def test_family_is_a_domain_from_its_first_operator_on():
    assert not is_domain("tests")
    register_op("tests.first", arguments=("a", "b"))
    register_op("tests.deep.second", arguments=())
    assert list(get_domain("tests").operators) == ["first", "deep.second"]
    assert get_domain("tests").called("first").num_children == 2
    assert {"tests.first", "tests.deep.second"} <= set(list_ops("relay"))


def test_families_of_relay_are_numbered_domains_and_hold_its_operators():
    families = {name.partition(".")[0] for name in list_ops("relay") if "." in name} - {"relay"}
    assert {"nn", "vision", "image", "qnn", "dyn", "random"} <= families
    assert len({get_domain(family).id for family in families}) == len(families)
    for name in list_ops("relay"):
        family, _, rest = name.partition(".")
        domain, own = (family, rest) if family in families and rest else ("relay", name)
        assert own in get_domain(domain).operators, name


def test_family_is_forgotten_with_its_operators_and_known_again_with_them():
    trial = declared_temporarily()
    with trial:
        made = register_op("tests.first", arguments=("a",), commutative=False)
        number = get_domain("tests").id
    assert not is_domain("tests")
    with trial:
        assert get_domain("tests").id == number
        assert relay.Call(made, [relay.var("x")]).operator is get_domain("tests").called("first")
    assert not is_domain("tests")


def test_operator_declared_again_has_the_children_it_is_declared_with():
    def declare(*arguments):
        return register_op("tests.again", arguments=arguments)

    declare("a")
    declare("a", "b")
    assert get_domain("tests").called("again").num_children == 2
    assert len(get_domain("tests").operators) == 1


def test_domain_of_a_family_of_relayish_is_not_for_others():
    with pytest.raises(
        DuplicateNameError, match=r"'nn' .* by relayish.op\S+, line \d+ and by tests"
    ):
        Domain("nn")


def test_domain_of_a_family_of_a_package_may_be_declared_before_and_after():
    register_op("rings.first", arguments=())
    rings = Domain("rings", 77)
    assert get_domain("rings") is get_domain(77) is rings
    register_op("rings.second", arguments=())
    register_op("third", arguments=(), domain=rings)
    assert list(rings.operators) == ["first", "second", "third"]
    with pytest.raises(DuplicateNameError, match=r"claimed by tests.* and by tests"):
        Domain("rings")


def test_two_operators_that_would_be_one_of_a_domain_are_refused_and_both_named():
    register_op("rings.first", arguments=())
    with pytest.raises(DuplicateNameError, match=r"'rings::first' .* 'rings.first' is"):
        register_op("first", arguments=(), domain="rings")
    assert not is_registered("rings::first")
    register_op("second", arguments=(), domain="rings")
    with pytest.raises(DuplicateNameError, match=r"'rings.second' .* 'rings::second' is"):
        register_op("rings.second", arguments=())
    get_domain("rings").add("by_hand")
    with pytest.raises(DuplicateNameError, match="as one that was added to it is"):
        register_op("rings.by_hand", arguments=())
    assert not is_registered("rings.by_hand")

"""How operators of several domains are written, and read again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import relayish as relay
from relayish.errors import ParseError
from relayish.ir.domains.domain import Domain
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.registration.declarations import declared_temporarily
from relayish.ir.relay.expr import Call, Op
from relayish.ir.relay.op import intern_op
from relayish.op import get_op, list_ops, register_op
from relayish.text import astext, parse, parse_expr
from tests.support.seeds import quickly

ONE = relay.const(1.0)


pytestmark = pytest.mark.usefixtures("declarations")


@pytest.fixture
def lattices():
    return Domain("lattices")


@pytest.fixture
def rings():
    return Domain("rings")


def declare(name: str, domain: Domain) -> Op:
    return register_op(name, arguments=("a", "b"), domain=domain)


def called(op: Op) -> str:
    """Return how a call of ``op`` on nothing is written."""
    return astext(Call(op, ()))


def read(text: str, **options: bool) -> object:
    made = parse_expr(text, **options)
    assert isinstance(made, Call)
    return made.op


# Writing


def test_operator_of_relay_is_written_bare_whatever_is_declared(lattices):
    declare("add", lattices)
    assert called(get_op("relay::add")) == "add()"


def test_operator_called_like_one_of_relay_is_written_with_its_domain(lattices):
    assert called(declare("nn.relu", lattices)) == "lattices::nn.relu()"


def test_operator_of_one_domain_is_written_bare(lattices):
    assert called(declare("join", lattices)) == "join()"


def test_operators_of_several_domains_are_written_with_theirs(lattices, rings):
    ours, theirs = declare("join", lattices), declare("join", rings)
    assert (called(ours), called(theirs)) == ("lattices::join()", "rings::join()")


def test_undeclared_operator_is_written_with_its_domain_where_another_declares_it(lattices):
    declare("join", lattices)
    assert called(intern_op("join")) == "relay::join()"
    assert called(intern_op("meet", "lattices")) == "lattices::meet()"
    assert called(intern_op("meet")) == "meet()"


def test_metadata_names_the_domain(lattices):
    text = """#[version = "0.0.5"]
    type lattices { add(float32), }
    def @main() { lattices::add(1f) }"""
    mod = parse(text)
    made = declare("add", lattices)
    mixed = relay.IRModule({"main": relay.Function((), Call(made, ()))}, mod.type_definitions)
    assert '"repr_str": "lattices::add"' in astext(mixed)
    assert parse(astext(mixed))["main"].body.op is made


# Reading


def test_qualified_name_always_means_the_one_it_names(lattices, rings):
    ours = declare("join", lattices)
    assert read("lattices::join()") is ours
    theirs, third = declare("join", rings), declare("add", rings)
    assert (read("lattices::join()"), read("rings::join()")) == (ours, theirs)
    assert (read("rings::add()"), read("relay::add()")) == (third, get_op("relay::add"))
    assert read(' lattices::#"join" ( )') is ours


def test_bare_name_that_relay_declares_means_relays(lattices, rings):
    declare("add", lattices)
    declare("add", rings)
    assert read("add(1f, 1f)") is get_op("relay::add")
    assert read("1f + 1f") is get_op("relay::add")


def test_infix_operators_are_relays(lattices):
    declare("multiply", lattices)
    for text, name in [
        ("1f * 2f", "multiply"),
        ("1f - 2f", "subtract"),
        ("1f <= 2f", "less_equal"),
    ]:
        assert read(text) is get_op(name, "relay")


def test_bare_name_of_several_domains_is_an_error_that_names_them(lattices, rings):
    declare("join", lattices)
    declare("join", rings)
    with pytest.raises(ParseError) as caught:
        parse_expr("(1f,\n join(1f))", "model.relay")
    said = str(caught.value)
    assert "model.relay:2:2: operator join is ambiguous" in said
    assert "write lattices::join or rings::join" in said
    with pytest.raises(ParseError, match="ambiguous"):
        parse_expr("join(1f)", allow_unknown_ops=True)


@pytest.mark.parametrize("name", ["join me", "if", "let", ""])
def test_odd_ambiguous_name_is_advised_as_it_is_written(name, lattices, rings):
    ours = declare(name, lattices)
    declare(name, rings)
    bare = f'#"{name}"()'
    with pytest.raises(ParseError) as caught:
        parse_expr(bare)
    assert f'lattices::#"{name}"' in str(caught.value)
    assert read(f'lattices::#"{name}"()') is ours


@pytest.mark.parametrize("text", ["latices::join()", "lattices::joint()", 'lattices::#"x"()'])
def test_unknown_qualified_name_is_refused_unless_unknown_ones_are_welcome(text, lattices):
    declare("join", lattices)
    with pytest.raises(ParseError, match="unknown operator " + text.removesuffix("()")):
        parse_expr(text)
    op = read(text, allow_unknown_ops=True)
    assert isinstance(op, Op)
    assert op.domain == text.partition("::")[0]


def test_quoted_name_with_colons_is_a_name_in_whole(lattices):
    declare("add", lattices)
    assert read('#"lattices::add"()', allow_unknown_ops=True) is intern_op("lattices::add")
    with pytest.raises(ParseError, match="unknown operator"):
        parse_expr('#"lattices::add"()')


def test_constructor_of_a_type_called_like_a_domain_is_a_constructor(lattices):
    declare("add", lattices)
    mod = parse(
        """#[version = "0.0.5"]
        type lattices { add(float32), Nil, }
        def @main() { (lattices::add(1f), lattices::Nil, Nil::) }"""
    )
    made = mod["main"].body.fields
    assert made[0].op.belong_to.name_hint == "lattices"
    assert structural_equal(parse(astext(mod)), mod)


# From text to text


def round_trip(op: Op) -> None:
    whole = relay.IRModule({"main": relay.Function((), relay.Tuple((Call(op, (ONE,)), op)))})
    again = parse(astext(whole), allow_unknown_ops=True)
    assert again["main"].body.fields[0].op is op
    assert again["main"].body.fields[1] is op
    assert structural_equal(again, whole)


@quickly(10)
@given(name=st.text(max_size=6), domain=st.sampled_from(["relay", "lattices", "rings.odd", "let"]))
def test_any_name_of_any_domain_comes_back(name, domain):
    with declared_temporarily():
        round_trip(intern_op(name, domain))
        for other in ("lattices", "rings.odd", "let"):
            if "::" not in name:
                declare(name, Domain(other))
                round_trip(intern_op(name, domain))
        round_trip(intern_op(name))


def test_every_name_of_relay_comes_back_from_a_domain_that_has_them_all(lattices):
    ours = [declare(name, lattices) for name in list_ops("relay")]
    theirs = [get_op(name, "relay") for name in list_ops("relay")]
    whole = relay.Tuple(tuple(Call(op, ()) for op in (*ours, *theirs)))
    back = parse_expr(astext(whole), allow_unknown_ops=True)
    assert [call.op for call in back.fields] == [*ours, *theirs]


# What is declared between writing and reading


def test_text_of_relays_operators_means_the_same_after_others_are_declared(lattices):
    text = astext(Call(get_op("add"), (ONE, ONE)))
    declare("add", lattices)
    assert read(text) is get_op("relay::add")


def test_bare_text_that_becomes_ambiguous_is_refused_not_guessed(lattices, rings):
    text = called(declare("join", lattices))
    declare("join", rings)
    with pytest.raises(ParseError, match="write lattices::join or rings::join"):
        parse_expr(text)


def test_qualified_text_means_the_same_whatever_is_declared_or_not(lattices, rings):
    with declared_temporarily():
        ours = declare("join", lattices)
        declare("join", rings)
        text = called(ours)
    again = declare("join", lattices)
    assert read(text) is again is ours
    declare("join", Domain("relay.more"))
    assert read(text) is ours


def test_bare_text_means_relays_once_relay_has_the_name(lattices):
    text = called(declare("join", lattices))
    made = register_op("join", arguments=())
    assert read(text) is made


def test_fast_path_reads_qualified_names_too(lattices):
    ours = declare("add", lattices)
    text = "fn (%x: float32) { let %y = lattices::add(%x, %x); %0 = lattices::add(%y, %y); %0 }"
    body = parse_expr(text).body
    assert body.value.op is ours is body.body.op
    assert structural_equal(parse_expr(astext(parse_expr(text))), parse_expr(text))

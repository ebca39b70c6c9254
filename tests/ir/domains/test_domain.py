"""Domains: sets of operators, told by name and number."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish.ir.domains.domain import Opcode, is_domain, remove_domain
from tests.support.declared import known_in_tests

SMALL = relay.Language("small")
DECLARED = relay.declared_temporarily()

with DECLARED:

    class Small(relay.Node, language=SMALL):
        __slots__ = ()

    @relay.node("name", atom=relay.Atom.VARIABLE)
    class Name(Small):
        text: str

    @relay.node("store", effect=relay.Effect.WRITES)
    class Store(Small):
        place: Name = relay.field(access=relay.Access.WRITE)
        value: Small

    @relay.node("loop")
    class Loop(Small):
        at: Name = relay.field(binder=True)
        body: Small = relay.field(scope=relay.Runs.REPEATEDLY)
        more: tuple[Small, ...] = ()


_kinds = known_in_tests(DECLARED)
pytestmark = pytest.mark.usefixtures("declarations")


def test_domain_is_found_by_name_and_by_id():
    made = relay.Domain("lattices", 40)
    assert relay.get_domain("lattices") is made
    assert relay.get_domain(40) is made
    assert made in relay.list_domains()


def test_domain_takes_the_least_free_id():
    taken = {domain.id for domain in relay.list_domains()}
    assert relay.Domain("lattices").id == min(set(range(len(taken) + 1)) - taken)


def test_second_claim_of_a_name_names_both_domains():
    relay.Domain("lattices", 40)
    with pytest.raises(relay.DuplicateNameError, match=r"'lattices' .*, under the ids 40 and 41,"):
        relay.Domain("lattices", 41)
    assert not any(domain.id == 41 for domain in relay.list_domains())


def test_second_claim_of_an_id_names_both_domains():
    relay.Domain("lattices", 40)
    with pytest.raises(relay.DuplicateNameError, match="id 40: 'lattices' and 'rings'"):
        relay.Domain("rings", 40)
    assert not is_domain("rings")


@pytest.mark.parametrize("name", ["", "a b", "a::b", "1a", "a.", ".a", "a\n", "ä"])
def test_domain_has_a_name_that_text_can_spell(name):
    with pytest.raises(relay.DeclarationError, match="identifiers with dots"):
        relay.Domain(name)


def test_unknown_domain_is_refused_with_the_nearest_one():
    relay.Domain("lattices")
    with pytest.raises(relay.UnknownNameError, match="did you mean lattices"):
        relay.get_domain("latices")
    with pytest.raises(relay.UnknownNameError, match="no domain 977 is declared"):
        relay.get_domain(977)


def test_operators_are_numbered_from_zero():
    made = relay.Domain("lattices")
    assert [made.add(name).number for name in ("join", "meet", "top")] == [0, 1, 2]


def test_operator_takes_the_least_free_number():
    made = relay.Domain("lattices")
    made.add("join", 1)
    made.add("meet", 0)
    assert made.add("top").number == 2
    made.remove("meet")
    assert made.add("bottom").number == 0


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"name": None}, "expected text"),
        ({"name": "join", "num_children": -2}, "number of children of operator 'join'"),
        ({"name": "join", "num_children": "two"}, "number of children of operator 'join'"),
        ({"name": "join", "properties": "EXPR"}, "expected a Property"),
    ],
)
def test_operator_that_is_no_such_thing_is_refused(given, reason):
    made = relay.Domain("lattices")
    with pytest.raises(relay.DeclarationError, match=reason):
        made.add(**given)
    assert not made.operators


def test_domain_and_properties_have_types():
    with pytest.raises(relay.DeclarationError, match="a domain is called 3"):
        relay.Domain(3)
    with pytest.raises(relay.DeclarationError, match="expected a Property"):
        relay.Domain("lattices").add("join").has_property("EXPR")


def test_numbering_many_operators_takes_linear_time():
    made = relay.Domain("lattices")
    assert [made.add(f"op{i}").number for i in range(20_000)] == list(range(20_000))


def test_second_operator_of_a_name_is_refused():
    made = relay.Domain("lattices")
    made.add("join")
    with pytest.raises(
        relay.DuplicateNameError, match="domain lattices declares operator 'join' twice"
    ):
        made.add("join", 7)
    with pytest.raises(relay.UnknownNameError):
        made.get(7)


def test_second_operator_of_a_number_names_both():
    made = relay.Domain("lattices")
    made.add("join", 7)
    with pytest.raises(relay.DuplicateNameError, match="the number 7: join and meet"):
        made.add("meet", 7)
    assert "meet" not in made.operators


def test_two_domains_may_have_an_operator_of_one_name():
    lattices, rings = relay.Domain("lattices"), relay.Domain("rings")
    lattices.add("add", 3)
    rings.add("add", 3)
    assert lattices.opcode("add") == (lattices.id, 3)
    assert lattices.opcode("add") != rings.opcode("add")


def test_operator_is_found_by_name_and_number():
    made = relay.Domain("lattices")
    join = made.add("join", 5, 2, relay.Property.EXPR | relay.Property.COMMUTATIVE)
    assert made.get("join") is join is made.get(5)
    assert (join.num_children, join.properties) == (
        2,
        relay.Property.EXPR | relay.Property.COMMUTATIVE,
    )


def test_unknown_operator_is_refused_with_the_nearest_one():
    made = relay.Domain("lattices")
    made.add("join")
    with pytest.raises(
        relay.UnknownNameError, match="lattices has no operator 'joint'; did you mean"
    ):
        made.get("joint")


def test_removed_operator_is_gone_by_name_and_number():
    made = relay.Domain("lattices")
    made.add("join")
    made.remove("join")
    made.remove("join")
    with pytest.raises(relay.UnknownNameError):
        made.get("join")
    with pytest.raises(relay.UnknownNameError):
        made.get(0)


def test_removed_domain_is_gone():
    relay.Domain("lattices")
    remove_domain("lattices")
    remove_domain("lattices")
    assert not is_domain("lattices")


# Kinds of nodes


def test_kinds_of_a_language_are_operators_of_its_domain():
    domain = SMALL.domain
    assert set(domain.kinds) == {"name", "store", "loop"}
    assert all(domain.get(op.number) is op and op.is_kind for op in domain.kinds.values())


def test_kind_tells_how_many_children_it_has_where_that_is_fixed():
    kinds = SMALL.domain.kinds
    assert [kinds[name].num_children for name in ("name", "store", "loop")] == [0, 2, None]


def test_properties_of_a_kind_come_from_its_traits_and_roles():
    kinds = SMALL.domain.kinds
    P = relay.Property
    assert kinds["name"].properties == P.EXPR | P.LEAF | P.SYM
    assert kinds["store"].properties == P.EXPR | P.STORE | P.SYM | P.SIDE_EFFECT
    assert kinds["loop"].properties == (
        P.EXPR | P.EX_CHILD | P.SCF | P.SYM | P.SIDE_EFFECT | P.BARRIER
    )


def test_kind_and_operator_of_a_domain_may_share_a_name():
    kind = SMALL.domain.get("loop")
    made = SMALL.domain.add("loop")
    assert made.number != kind.number
    assert SMALL.domain.get("loop") is made
    assert SMALL.domain.kinds["loop"] is kind
    SMALL.domain.remove("loop")
    assert SMALL.domain.get("loop") is kind


def test_language_takes_the_domain_that_is_called_like_it():
    made = relay.Domain("tiny", 33)

    class Tiny(relay.Node, language=relay.Language("tiny")):
        __slots__ = ()

    relay.node("leaf")(type("Leaf", (Tiny,), {"__slots__": ()}))
    assert Tiny.language_.domain is made
    assert made.opcode("leaf") == Opcode(33, 0)

"""Properties of operators, and from what they follow."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import relayish as relay
import relayish.core
import relayish.tir
from relayish.errors import DeclarationError
from relayish.ir.domains.domain import Domain, get_domain, list_domains
from relayish.ir.domains.language import Language
from relayish.ir.domains.property import Property, spell_properties
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Access, Atom, Role, Runs
from relayish.ir.nodes.node import Node, field, node
from relayish.op import register_op
from relayish.op.declaration import properties as tables

P = Property
pytestmark = pytest.mark.usefixtures("declarations")


def declare(fields: dict[str, object], said: dict[str, object] | None = None, **traits: object):
    """Return the properties of a kind of its own language with these fields."""
    family = type("Family", (Node,), {"__slots__": ()}, language=Language("properties"))
    node("name", atom=Atom.VARIABLE)(
        type("Name", (family,), {"__annotations__": {"text": str}, "__module__": __name__})
    )
    node("leaf", effect=Effect.NONE)(type("Leaf", (family,), {"__module__": __name__}))
    hints = {name: family if hint is Node else hint for name, hint in fields.items()}
    body = {"__annotations__": hints, "__module__": __name__, **(said or {})}
    kind = node("kind", **{"effect": Effect.NONE, **traits})(type("Kind", (family,), body))
    return kind.language_.domain.kinds["kind"].properties


@pytest.mark.parametrize(
    ("fields", "said", "expected"),
    [
        ({}, {}, P.EXPR | P.LEAF),
        ({"a": Node}, {}, P.EXPR),
        ({"a": tuple[Node, ...]}, {}, P.EXPR | P.EX_CHILD),
        ({"a": Node}, {"a": field(scope=Runs.ONE_OF)}, P.EXPR | P.SCF),
        ({"a": Node}, {"a": field(access=Access.READ)}, P.EXPR | P.LOAD),
        ({"a": Node}, {"a": field(access=Access.BOTH)}, P.EXPR | P.LOAD | P.STORE),
        ({"a": Node}, {"a": field(annotation=True)}, P.EXPR | P.LEAF),
        ({"value": int}, {}, P.EXPR | P.LEAF | P.VALUE),
        ({"value": Node}, {}, P.EXPR),
        ({"attrs": str, "offset": int}, {}, P.EXPR | P.LEAF | P.ATTR | P.OFFSET),
        ({"offset": int}, {"offset": field(compared=False, default=0)}, P.EXPR | P.LEAF),
        ({"ty": relay.Type}, {}, P.EXPR | P.LEAF | P.TYPE),
    ],
)
def test_property_follows_from_fields(fields, said, expected):
    assert declare(fields, said) == expected


@pytest.mark.parametrize(
    ("traits", "expected"),
    [
        ({"effect": Effect.READS}, P.NONE),
        ({"effect": Effect.WRITES}, P.SIDE_EFFECT),
        ({"effect": Effect.STATE}, P.SIDE_EFFECT),
        ({"effect": None}, P.SIDE_EFFECT | P.BARRIER),
        ({"effect": None, "atom": Atom.VARIABLE}, P.SYM),
        ({"effect": None, "atom": Atom.NAME}, P.SYM),
        ({"effect": None, "atom": Atom.LITERAL}, P.VALUE),
        ({"properties": P.PREFETCH}, P.PREFETCH),
    ],
)
def test_property_follows_from_traits_or_is_declared(traits, expected):
    assert declare({}, **traits) == P.EXPR | P.LEAF | expected


def test_calls_and_control_flow_neither_load_nor_store():
    said = {"a": field(access=Access.WRITE)}
    assert declare({"a": Node}, said, properties=P.CALL) == P.EXPR | P.CALL
    said["b"] = field(scope=Runs.REPEATEDLY)
    assert declare({"a": Node, "b": Node}, said) == P.EXPR | P.SCF


def test_what_is_declared_of_families_holds_of_their_kinds():
    class Root(Node, language=Language("families")):
        __slots__ = ()

    class Stmt(Root, properties=P.STMT):
        __slots__ = ()

    class Expr(Root, properties=P.EXPR):
        __slots__ = ()

    @node("both", effect=Effect.NONE, properties=P.CALL)
    class Both(Stmt, Expr):
        pass

    @node("one", effect=Effect.NONE)
    class One(Stmt, properties=P.END_BB):
        pass

    assert Both().operator.properties == P.STMT | P.EXPR | P.CALL | P.LEAF
    assert One().operator.properties == P.STMT | P.END_BB | P.LEAF


def test_family_that_is_not_evaluated_has_no_values():
    class Note(Node, language=Language("notes"), held_as=Role.ANNOTATION):
        __slots__ = ()

    @node("note")
    class One(Note):
        text: str

    assert One("a").operator.properties == P.NOT_EXEC | P.LEAF


def test_holding_symbols_alone_is_asked_when_all_kinds_are_declared():
    class Root(Node, language=Language("symbols")):
        __slots__ = ()

    class Symbol(Root):
        __slots__ = ()

    @node("first", atom=Atom.VARIABLE)
    class First(Symbol):
        text: str

    body = {"__annotations__": {"what": Symbol}, "__module__": __name__}
    User = node("user", effect=Effect.NONE)(type("User", (Root,), body))
    user = User(First("a"))
    assert user.has_property(P.SYM)
    node("second", effect=Effect.NONE)(type("Second", (Symbol,), {"__module__": __name__}))
    assert not user.has_property(P.SYM)


def test_properties_that_are_none_are_refused():
    with pytest.raises(DeclarationError, match="properties of Kind is given as 'load'"):
        declare({}, properties="load")
    with pytest.raises(DeclarationError, match=r"properties of operator 'odd' is .* a Property"):
        register_op("odd", arguments=(), properties="load")


# Operators that calls name


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({}, P.NONE),
        ({"commutative": True, "arguments": ("a", "b")}, P.COMMUTATIVE),
        ({"stateful": True}, P.SIDE_EFFECT),
        ({"fusion_barrier": True}, P.BARRIER),
        ({"arguments": ()}, P.LEAF),
        ({"properties": P.LIB_CALL}, P.LIB_CALL),
    ],
)
def test_property_of_an_operator_follows_from_its_record(told, expected):
    made = register_op("tests.told", **{"arguments": ("a",), **told})
    assert get_domain("tests").called("told").properties == P.EXPR | expected
    assert relay.Call(made, [relay.var("x")]).has_property(expected)


def test_property_of_an_operator_follows_what_is_registered_later():
    made = register_op("tests.later", arguments=("a",))
    call = relay.Call(made, [relay.var("x")])
    assert not call.has_property(P.SIDE_EFFECT)
    made.set_attr("TOpIsStateful", True)
    assert call.has_property(P.SIDE_EFFECT)


def test_operators_that_compare_say_so():
    compare = {
        name for name, op in get_domain("relay").operators.items() if op.has_property(P.COMPARE)
    }
    assert compare == {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}


@pytest.mark.parametrize("domain", ["relay", "nn", "vision", "image", "qnn", "dyn", "random"])
def test_operators_agree_with_their_records(domain):
    for name, op in get_domain(domain).operators.items():
        full = relay.get_op(name if domain == "relay" else f"{domain}.{name}")
        assert op.num_children == len(tables.arguments.get(full)), name
        assert op.has_property(P.EXPR), name
        assert op.has_property(P.ATTR) == (full in tables.attrs_type), name


# Kinds of the library

AIR = {
    "add sub mul shl ashr lshr": P.EXPR,
    "eq ne lt le gt ge": P.EXPR | P.COMPARE,
    "intconst zero one": P.EXPR,
    "ldc ldca": P.EXPR | P.CONST_ID,
    "lda idname": P.EXPR | P.SYM,
    "ld": P.EXPR | P.LOAD | P.SYM | P.ACC_TYPE,
    "ldf": P.EXPR | P.LOAD | P.SYM | P.ACC_TYPE | P.FIELD_ID,
    "ldo": P.EXPR | P.LOAD | P.SYM | P.ACC_TYPE | P.OFFSET,
    "ild": P.EXPR | P.LOAD | P.ACC_TYPE,
    "ldp": P.EXPR | P.LOAD | P.PREG | P.ACC_TYPE,
    "ldpf": P.EXPR | P.LOAD | P.PREG | P.ACC_TYPE | P.FIELD_ID,
    "st": P.STMT | P.STORE | P.SYM | P.ACC_TYPE,
    "stf": P.STMT | P.STORE | P.SYM | P.ACC_TYPE | P.FIELD_ID,
    "sto": P.STMT | P.STORE | P.SYM | P.ACC_TYPE | P.OFFSET,
    "stp": P.STMT | P.STORE | P.PREG | P.ACC_TYPE,
    "stpf": P.STMT | P.STORE | P.PREG | P.ACC_TYPE | P.FIELD_ID,
    "ist": P.STMT | P.STORE | P.ACC_TYPE,
    "array": P.EXPR | P.EX_CHILD,
    "func_entry": P.SCF | P.ENTRY | P.EX_CHILD,
    "block if do_loop": P.SCF,
    "call": P.STMT | P.CALL | P.ENTRY | P.RET_VAR | P.FLAGS | P.EX_CHILD,
    "ret retv": P.STMT,
    "pragma": P.STMT | P.LEAF | P.VALUE,
    "validate tm_start tm_taken dump_var": P.STMT | P.LIB_CALL,
    "end_stmt_list": P.STMT | P.END_BB,
}
"""What AIR's operators of core have."""
_COMPARED = P.LOAD | P.STORE | P.CALL | P.COMPARE | P.LIB_CALL | P.ENTRY | P.STMT | P.EXPR


@pytest.mark.parametrize("names", AIR)
def test_kinds_of_core_have_the_properties_of_airs(names):
    for name in names.split():
        found = get_domain("core").kinds[name].properties
        assert AIR[names] in found, (name, found)
        if AIR[names] != P.SCF:  # the words for statements, which AIR has for some
            assert found & _COMPARED == AIR[names] & _COMPARED, name


@pytest.mark.parametrize("domain", ["relay", "tir", "core"])
def test_every_kind_is_expression_statement_function_or_not_evaluated(domain):
    for name, kind in get_domain(domain).kinds.items():
        assert kind.properties & (P.EXPR | P.STMT | P.ENTRY | P.NOT_EXEC), name
        assert not (kind.has_property(P.NOT_EXEC) and kind.properties & (P.EXPR | P.STMT)), name


def test_statements_of_the_loop_ir_are_told_from_expressions():
    kinds = relayish.tir.Stmt.language_.domain.kinds
    assert {n for n, k in kinds.items() if k.has_property(P.STMT)} == {
        kind.visit_name for kind in relayish.tir.Stmt.kinds
    }


def test_every_property_says_from_what_it_follows():
    source = Path(relayish.ir.domains.property.__file__).read_text(encoding="utf-8")
    said = dict(re.findall(r"^    ([A-Z_]+) = auto\(\)  # ([a-z, ]+): ", source, re.MULTILINE))
    assert said.keys() == {each.name for each in Property}
    sources = {word.strip() for words in said.values() for word in re.split(r",| or ", words)}
    assert sources - {""} == {
        *("access", "atom", "binder", "children", "declared", "effect", "family", "field"),
        *("of a family", "record", "scopes"),
    }


def test_documentation_tells_every_property_as_its_declaration_does():
    source = Path(relayish.ir.domains.property.__file__).read_text(encoding="utf-8")
    rows = re.findall(r"^    ([A-Z_]+) = auto\(\)  # ([a-z, ]+): (.*)$", source, re.MULTILINE)
    page = Path(__file__).parents[3] / "docs" / "domains.md"
    text = page.read_text(encoding="utf-8")
    missing = [name for name, why, what in rows if f"| `{name}` | {what} | {why} |\n" not in text]
    assert len(rows) == len(Property)
    assert missing == []


def test_properties_are_spelt_by_name():
    assert spell_properties(P.LOAD | P.EXPR) == "EXPR|LOAD"
    assert spell_properties(P.NONE) == "NONE"


# Numbers


@pytest.mark.parametrize("number", [63, 64, 127, 128, 1023, 1024, 2047, 2048, 1 << 40])
def test_numbers_beyond_those_of_air_are_told_apart(number):
    """AIR has 6 bits for domains and 10 for operators, and checks for one bit more."""
    first = Domain("first", number)
    first.add("op", number)
    second = Domain("second", number + 1)
    second.add("op", number + 1)
    assert get_domain(number) is first
    assert first.get(number).name == "op"
    assert first.opcode("op") == (number, number)
    assert len({domain.opcode("op") for domain in (first, second)}) == 2


@pytest.mark.parametrize("number", [-1, True, "7", 1.0])
def test_number_that_is_none_is_refused(number):
    before = list_domains()
    with pytest.raises(DeclarationError, match=r"the id of domain 'lattices' is .* 0 or more"):
        Domain("lattices", number)
    assert list_domains() == before
    made = Domain("lattices")
    with pytest.raises(DeclarationError, match=r"the number of operator 'join' of domain lattices"):
        made.add("join", number)
    assert not made.operators

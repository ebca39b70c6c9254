"""Fields that follow from the others, and literals for numbers: what a language may declare."""

from __future__ import annotations

import copy
import pickle

import pytest

import relayish as relay
from relayish.functor.mutator import Mutator
from relayish.functor.post_order import Rewriter
from relayish.ir.nodes.node import node
from relayish.ir.scopes.renaming import duplicate, replace_nodes
from relayish.ir.scopes.replacing import with_evaluated
from relayish.text import parse_node
from tests.support.depth import DEPTH

TREES = relay.Language("growing_trees", as_literal=lambda value: Leaf(int(value)))


class Tree(relay.Node, language=TREES):
    """A family all of whose kinds have a height."""

    __slots__ = ()
    visit_name = "tree"

    height: int = relay.field(init=False, derived=True)


@node("leaf", atom=relay.Atom.LITERAL)
class Leaf(Tree):
    value: int

    @staticmethod
    def derive_height(node):
        return 0


class Inner(Tree):
    """A family that says for its kinds what their height is."""

    __slots__ = ()
    visit_name = "inner"

    @staticmethod
    def derive_height(node):
        return 1 + max([child.height for child in node.children], default=0)


@node("fork", effect=relay.Effect.NONE)
class Fork(Inner):
    children: tuple[Tree, ...]
    mark: str = ""


@node("pair", effect=relay.Effect.NONE)
class Pair(Tree):
    left: Tree
    right: Tree | None = None

    @staticmethod
    def derive_height(node):
        return 1 + max(node.left.height, 0 if node.right is None else node.right.height)


DEEP = Fork((Leaf(1), Fork((Leaf(2),))))


def grow(tree, functor=Mutator):
    """Return ``tree`` with a fork around each leaf."""

    class Grow(functor):
        family = Tree

        def visit_leaf(self, leaf):
            return Fork((leaf,))

    return Grow().visit(tree)


# What follows is there, and is never stale


def test_derived_field_is_there_when_a_node_is_made():
    assert (Leaf(7).height, Fork(()).height, DEEP.height, Pair(DEEP).height) == (0, 1, 2, 3)


def test_family_says_it_for_its_kinds():
    assert Fork((DEEP,)).height == Inner.derive_height(Fork((DEEP,))) == 3


def test_derived_field_follows_the_fields_after_with_fields():
    assert DEEP.with_fields(children=(Leaf(0),)).height == 1
    assert DEEP.with_fields(mark="x").height == 2


def test_derived_field_follows_the_fields_after_a_mutator():
    assert grow(DEEP).height == 3
    assert grow(Pair(Leaf(0), DEEP)).height == 4


def test_derived_field_follows_the_fields_after_a_rewriter():
    class Cut(Rewriter):
        family = Tree

        def rewrite_fork(self, pre, post):
            return Leaf(0) if pre.height == 1 else post

    assert Cut().visit(DEEP).height == 1


def test_derived_field_follows_the_fields_after_replacing():
    leaf = Leaf(0)
    tree = Fork((leaf,))
    assert replace_nodes(tree, {leaf: DEEP}).height == 3
    assert with_evaluated(tree, (DEEP,), ()).height == 3


def test_duplicate_has_what_follows():
    assert duplicate(DEEP).height == 2


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda n: pickle.loads(pickle.dumps(n))]
)
def test_copy_has_what_follows(copied):
    again = copied(DEEP)
    assert again.height == 2
    assert relay.structural_equal(again, DEEP)


def test_derived_field_is_not_stored():
    shallow = pickle.dumps(Fork((Leaf(3),)))
    assert b"height" not in shallow


def test_text_reads_back_with_what_follows():
    text = relay.astext(DEEP)
    assert "height" not in text
    assert parse_node(text).height == 2


def test_derived_field_is_no_field_of_its_own():
    assert [f.name for f in Fork.fields_] == ["children", "mark"]
    assert Fork.derived_ == ("height",)
    assert Fork.__match_args__ == ("children", "mark")
    assert "height" not in repr(DEEP)


def test_equality_and_hash_do_not_look_at_it():
    assert relay.structural_equal(Leaf(1), Leaf(1))
    assert relay.structural_hash(Leaf(1)) == relay.structural_hash(Leaf(1))


@pytest.mark.deep
def test_derived_field_of_a_deep_node_is_found_without_recursion():
    tree = Leaf(0)
    for _ in range(DEPTH):
        tree = Pair(tree)
    assert tree.height == DEPTH
    assert grow(tree).height == DEPTH + 1
    assert pickle.loads(pickle.dumps(tree)).height == DEPTH


# It is neither given nor changed


def test_derived_field_cannot_be_given():
    with pytest.raises(TypeError, match="height"):
        Fork((), height=3)
    with pytest.raises(relay.FieldError, match="Fork has no field 'height'"):
        DEEP.with_fields(height=3)


def test_derived_field_cannot_be_assigned():
    with pytest.raises(relay.FrozenNodeError, match="nodes are immutable"):
        DEEP.height = 3


def test_kind_that_does_not_say_what_follows_is_refused():
    with (
        relay.declared_temporarily(),
        pytest.raises(relay.DeclarationError, match=r"Silent.height is declared derived, but"),
    ):

        @node("silent")
        class Silent(Tree):
            value: int


def test_error_of_what_derives_leaves_no_node_behind():
    with relay.declared_temporarily():

        @node("picky", effect=relay.Effect.NONE)
        class Picky(Tree):
            child: Tree

            @staticmethod
            def derive_height(node):
                if node.child.height > 1:
                    raise relay.FieldError("too high for Picky; expected a height of 1 at most")
                return node.child.height + 1

        assert Picky(Fork(())).height == 2
        with pytest.raises(relay.FieldError, match="too high for Picky"):
            Picky(DEEP)
        with pytest.raises(relay.FieldError, match="too high for Picky"):
            Picky(Fork(())).with_fields(child=DEEP)


# Numbers where literals may stand


def test_number_becomes_a_literal_of_the_language():
    pair = Pair(3, 4)
    assert (pair.left.value, pair.right.value) == (3, 4)
    assert [child.value for child in Fork([1, 2]).children] == [1, 2]
    assert Pair(Leaf(0)).with_fields(right=5).right.value == 5


def test_number_is_no_literal_where_the_field_takes_none():
    with relay.declared_temporarily():

        @node("holder", effect=relay.Effect.NONE)
        class Holder(Tree):
            held: Fork

            @staticmethod
            def derive_height(node):
                return 1

        with pytest.raises(relay.FieldError, match=r"Holder.held must be Fork; found 3"):
            Holder(3)


def test_what_is_no_number_is_refused_as_ever():
    with pytest.raises(relay.FieldError, match=r"Pair.left must be Tree; found 'a'"):
        Pair("a")
    with pytest.raises(relay.FieldError, match=r"Fork.children\[1\] must be Tree; found None"):
        Fork((1, None))


def test_truth_values_and_numpy_numbers_are_numbers():
    numpy = pytest.importorskip("numpy")
    assert Pair(True, numpy.int8(5)).right.value == 5


def test_error_of_the_language_is_raised_as_it_is():
    with pytest.raises(ValueError, match="cannot convert float NaN to integer"):
        Pair(float("nan"))

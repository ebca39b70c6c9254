"""Tags of constructors."""

from __future__ import annotations

import gc
import pickle
import weakref

import pytest

import relayish as relay
from relayish.errors import UnknownNameError
from relayish.ir.relay.constructor_tag import hash_bytes, tag_prefix
from tests.support.each import each

LISTS = """#[version = "0.0.5"]
type List[A] {
  Cons(A, List[A]),
  Nil,
}
type Option[A] {
  Some(A),
  None,
}
"""

# as std::hash of libstdc++ gives them
HASHES = {
    "": 6142509188972423790,
    "List": 17403638020908505224,
    "Tree": 3470124842120009016,
    "abcdefgh": 8664279048047335611,
    "static_tensor_float32_3_2_t": 5227575960217749121,
    "été": 13865135146258435707,
}


@each("name", HASHES)
def test_names_hash_as_in_libstdcxx(name):
    assert hash_bytes(name.encode()) == HASHES[name]


def test_prefixes_are_of_32_bits_with_a_sign():
    names = ("List", "Option", "nat")
    assert [tag_prefix(name) for name in names] == [-2013265920, 1107296256, 738197504]


def test_tags_are_prefix_and_position():
    mod = relay.parse(LISTS)
    cons, nil = (mod.get_constructor("List", name) for name in ("Cons", "Nil"))
    assert (cons.tag, nil.tag) == (tag_prefix("List"), tag_prefix("List") | 1)


def test_constructors_are_found_by_tag():
    mod = relay.parse(LISTS)
    for data in mod.type_definitions.values():
        for constructor in data.constructors:
            assert mod.get_constructor(constructor.tag) is constructor


@each("tag", [0, -1, 1 << 40, tag_prefix("List") | 2, tag_prefix("Tree")])
def test_a_tag_of_no_constructor_is_refused(tag):
    with pytest.raises(UnknownNameError, match="no constructor with the tag"):
        relay.parse(LISTS).get_constructor(tag)


def test_a_constructor_that_no_module_defines_has_no_tag():
    constructor = relay.Constructor("Leaf", [], relay.GlobalTypeVar("Tree"))
    assert constructor.tag == -1
    data = relay.TypeData(constructor.belong_to, [], [constructor])
    mod = relay.IRModule().with_type(data)
    assert constructor.tag == tag_prefix("Tree")
    assert mod.get_constructor(constructor.tag) is constructor


def test_values_have_the_tags_of_their_constructors():
    mod = relay.parse(LISTS + "def @main() { Some(1) }")
    value = relay.create_executor(mod=mod).evaluate()()
    assert value.tag == mod.get_constructor("Option", "Some").tag


def test_modules_that_were_stored_have_tags():
    mod = pickle.loads(pickle.dumps(relay.parse(LISTS)))
    assert mod.get_constructor("List", "Nil").tag == tag_prefix("List") | 1


def test_constructors_with_tags_are_freed():
    mod = relay.parse(LISTS)
    seen = weakref.ref(mod.get_constructor("List", "Nil"))
    del mod
    gc.collect()
    assert seen() is None

"""Fresh names, and global variables by name."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish.errors import DuplicateNameError
from relayish.ir.attributes.dictionary import DictAttrs
from tests.support.work import lines_run


def empty():
    return relay.Function([], relay.Tuple([]))


def test_fresh_names_differ():
    supply = relay.NameSupply("prefix")
    assert [supply.fresh_name("test") for _ in range(3)] == [
        "prefix_test",
        "prefix_test_1",
        "prefix_test_2",
    ]
    assert supply.fresh_name("test", add_prefix=False) == "test"


def test_a_reserved_name_is_not_given():
    supply = relay.NameSupply("prefix")
    assert supply.reserve_name("reserved") == "prefix_reserved"
    assert supply.reserve_name("plain", add_prefix=False) == "plain"
    assert supply.fresh_name("reserved") == "prefix_reserved_1"
    assert supply.fresh_name("plain", add_prefix=False) == "plain_1"


def test_a_name_reserved_again_keeps_its_number():
    supply = relay.NameSupply()
    assert [supply.fresh_name("f"), supply.fresh_name("f")] == ["f", "f_1"]
    supply.reserve_name("f")
    assert supply.fresh_name("f") == "f_2"


def test_contains_name_knows_given_reserved_and_taken_names():
    supply = relay.NameSupply("prefix", taken=["taken"])
    supply.fresh_name("given")
    supply.reserve_name("reserved", add_prefix=False)
    assert supply.contains_name("given")
    assert not supply.contains_name("given", add_prefix=False)
    assert supply.contains_name("reserved", add_prefix=False)
    assert supply.contains_name("taken", add_prefix=False)


def test_numbers_step_over_names_that_look_like_given_ones():
    supply = relay.NameSupply(taken=["f", "f_1", "f_2"])
    assert supply.fresh_name("f") == "f_3"
    assert supply.fresh_name("f_1") == "f_1_1"


def test_dots_become_underscores():
    assert relay.NameSupply().fresh_name("nn.relu") == "nn_relu"


def test_numbers_follow_names_at_once_where_no_underscore_is_wanted():
    supply = relay.NameSupply(taken=["t"])
    assert supply.fresh_name("t", add_underscore=False) == "t1"


def test_names_of_one_kind_take_equal_work_each():
    def work(count):
        supply = relay.NameSupply()
        return lines_run(lambda: [supply.fresh_name("v") for _ in range(count)])

    assert work(4_000) < 2.2 * work(2_000)


def test_globals_of_a_module_are_found_by_name_and_given_no_more():
    mod = relay.IRModule({"main": empty()}, attrs=DictAttrs({"mod_name": "lib"}))
    supply = relay.GlobalVarSupply(mod)
    main = mod.get_global_var("main")
    assert supply.unique_global_for("main", add_prefix=False) is main
    assert supply.fresh_global("main", add_prefix=False).name_hint == "main_1"
    assert supply.fresh_global("main").name_hint == "lib_main"


def test_globals_found_by_name_are_the_same_node():
    supply = relay.GlobalVarSupply(relay.NameSupply("p"))
    first = supply.unique_global_for("f")
    assert first.name_hint == "p_f"
    assert supply.unique_global_for("f") is first
    assert supply.unique_global_for("f", add_prefix=False) is not first


def test_fresh_globals_are_found_by_name():
    supply = relay.GlobalVarSupply()
    made = supply.fresh_global("f")
    assert supply.unique_global_for("f") is made


def test_two_modules_with_one_global_name_are_refused():
    one, other = relay.IRModule({"main": empty()}), relay.IRModule({"main": empty()})
    with pytest.raises(DuplicateNameError, match="two global variables go by the name 'main'"):
        relay.GlobalVarSupply([one, other])


def test_modules_that_share_their_globals_supply_names_together():
    main = relay.GlobalVar("main")
    modules = [relay.IRModule({main: empty()}), relay.IRModule({main: empty(), "g": empty()})]
    supply = relay.GlobalVarSupply(modules)
    assert supply.fresh_global("g", add_prefix=False).name_hint == "g_1"


def test_a_conflict_that_is_allowed_lets_the_later_one_be_found():
    supply = relay.GlobalVarSupply()
    first, later = relay.GlobalVar("f"), relay.GlobalVar("f")
    supply.reserve_global(first)
    with pytest.raises(DuplicateNameError, match="allow_conflict"):
        supply.reserve_global(later)
    supply.reserve_global(later, allow_conflict=True)
    assert supply.unique_global_for("f", add_prefix=False) is later

"""What the compiled core itself is asked for, with arguments that the library never gives it."""

from __future__ import annotations

import random
import subprocess
import sys
import types
from typing import Any

import pytest

from relayish import _kernel
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Tuple, Var
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.traversal import EXPRESSIONS

compiled: Any = _kernel._compiled
pytestmark = pytest.mark.skipif(compiled is None, reason="the compiled core is not in use")


class Slotted:
    __slots__ = ("one", "other")


class Open:
    pass


def make(*values):
    return values


@pytest.mark.parametrize("kind", [int, tuple, type, Exception, Open, types.FunctionType])
def test_layout_refuses_what_is_no_class_of_slots_alone(kind):
    with pytest.raises(TypeError, match="is no class of nodes"):
        compiled.layout(kind, make, make, make, (), ())


@pytest.mark.parametrize("name", ["__doc__", "__slots__", "nothing", "__module__"])
def test_layout_refuses_a_field_that_is_no_slot(name):
    fields = ((name, 0, False, None, None, False),)
    with pytest.raises(TypeError, match="has no slot"):
        compiled.layout(Slotted, make, make, make, fields, ())


def test_plan_refuses_a_member_that_holds_no_object():
    with pytest.raises(TypeError, match="has no slot"):
        compiled.plan(0, type, Node, (("__dictoffset__", 4, False),), make, make)


def test_plan_refuses_what_makes_nodes_of_another_kind():
    with pytest.raises(TypeError, match="of the kind, of all fields"):
        compiled.plan(2, Tuple, Node, (("fields", 6, False),), Call._make, make)


def test_loops_are_known_by_name_and_by_what_they_are_told():
    for name, told in (("nothing", ()), ("walk", ()), ("with_fields", (1,)), ("", (1, 2))):
        with pytest.raises(ValueError, match="there is no loop"):
            compiled.loop(name, make, *told)
    for arguments in ((), ("walk",), (1, make, 2), ("walk", len, 2)):
        with pytest.raises(TypeError):
            compiled.loop(*arguments)


def test_nobody_makes_layouts_plans_and_loops_by_their_classes():
    plan = EXPRESSIONS.rebuild[Call]
    for each in (Call._make, plan, Node.with_fields, EXPRESSIONS.post_order.__func__):
        if type(each).__module__ == compiled.__name__:
            with pytest.raises(TypeError):
                type(each)()


def test_arguments_of_all_sorts_raise_or_are_taken():
    chance = random.Random(7)
    fields = (("one", 4, False), ("other", 6, False))
    pool = [
        None, 0, 1, 2, 5, 6, -1, 10**30, "walk", "one", "", (), fields, (("one", 0, False),),
        ((1, 2),), make, len, int, Node, Call, Slotted, Open, [], {}, Call._make, object(),
        EXPRESSIONS.rebuild[Call], Node.with_fields, Var("x"), (Slotted,), (int, 5), 1.5, True,
    ]  # fmt: skip
    entries = [
        compiled.layout, compiled.plan, compiled.loop, compiled.settle, Call._make,
        EXPRESSIONS.rebuild[Call], EXPRESSIONS.push_all[Call], EXPRESSIONS.retype[Call],
        EXPRESSIONS.carry[Call], EXPRESSIONS.push[Call], Node.with_fields,
    ]  # fmt: skip
    before = Call(intern_op("add"), (Var("x"),))
    for _ in range(4000):
        entry = chance.choice(entries)
        arguments = [chance.choice(pool) for _ in range(chance.randrange(8))]
        arguments = [a for a in arguments if entry is not compiled.settle or a != (Slotted,)]
        try:
            made = entry(*arguments)
            if callable(made) and entry in (compiled.plan, compiled.layout):
                made(*[chance.choice(pool) for _ in range(chance.randrange(6))])
        except (TypeError, ValueError, AttributeError, OverflowError, KeyError, LookupError):
            continue
        except SystemError as error:
            assert "getargs" in str(error)  # noqa: PT017 - a field that is no tuple
        except Exception as error:  # noqa: BLE001 - of which class, is looked at
            assert type(error).__module__.startswith("relayish")  # noqa: PT017 - as Python says
    compiled.plan(0, Tuple, Node, (), make, make)  # which says again what all nodes are
    assert type(before.with_fields(args=())) is Call


@pytest.mark.slow("another process with another interpreter inside")
def test_another_interpreter_of_the_process_has_pure_python():
    script = (
        "from relayish import _kernel\n"
        "try:\n    import _interpreters as sub\n"
        "except ImportError:\n    import _xxsubinterpreters as sub\n"
        "assert _kernel.compiled\n"
        "one = sub.create()\n"
        "sub.run_string(one, 'from relayish import _kernel; print(_kernel.MODE, flush=True)')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert "pure Python" in done.stdout

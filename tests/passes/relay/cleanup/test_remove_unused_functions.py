from __future__ import annotations

from relayish.ir.relay.expr import Call, Function, GlobalVar, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.prelude import Prelude
from relayish.transform import get_pass

remove = get_pass("RemoveUnusedFunctions")


def module(**references: str) -> IRModule:
    """Return a module in which each function refers to those named, separated by spaces."""
    names = {name: GlobalVar(name) for name in references}
    made: dict[GlobalVar | str, Function] = {}
    for name, others in references.items():
        x = Var("x")
        made[names[name]] = Function((x,), Tuple(tuple(names[other] for other in others.split())))
    return IRModule(made)


def kept(mod: IRModule) -> list[str]:
    return [name.name_hint for name in mod]


def test_what_main_reaches_stays():
    mod = module(main="a", a="b", b="", c="b d", d="c")
    out = remove(mod)
    assert kept(out) == ["a", "b", "main"]
    assert kept(mod) == ["a", "b", "c", "d", "main"]
    assert all(out[name] is mod[name] for name in out)


def test_a_module_without_unused_functions_is_returned_itself():
    mod = module(main="a", a="a")
    assert remove(mod) is mod


def test_recursive_functions_nobody_needs_go():
    assert kept(remove(module(main="", even="odd", odd="even"))) == ["main"]


def test_every_entry_function_stays():
    mod = module(main="", other="a", a="")
    assert kept(get_pass("RemoveUnusedFunctions", entry_functions=("other",))(mod)) == [
        "a",
        "other",
    ]


def test_a_reference_to_a_name_that_is_not_defined_is_passed_over():
    x = Var("x")
    mod = IRModule({"main": Function((x,), Call(GlobalVar("gone"), (x,)))})
    assert remove(mod) is mod


def test_the_prelude_shrinks_to_what_is_used_and_types_stay():
    mod = IRModule()
    prelude = Prelude(mod)
    mod = prelude.mod.with_function("main", Function((), prelude.mod.get_global_var("map")))
    out = remove(mod)
    assert kept(out) == ["main", "map"]
    assert dict(out.type_definitions) == dict(mod.type_definitions)

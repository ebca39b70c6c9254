"""CINN's modules become modules of definitions, and back, or it is said why not."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish import tir
from relayish.errors import DuplicateNameError, FieldError
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.equality.structural_equal import structural_equal
from relayish.tir import from_ir_module, to_ir_module
from relayish.tir.ir.target import HOST_TARGET, NVGPU_TARGET
from tests.support.seeds import seeds
from tests.support.tir_programs import random_func

F, G = [tir.LoweredFunc(name, (), tir.Block()) for name in ("f", "g")]
BOTH = tir.Module("kernels", HOST_TARGET, (), (F, G))


def again(module):
    return from_ir_module(to_ir_module(module))


def test_functions_are_definitions_under_their_names():
    mod = to_ir_module(BOTH)
    assert (mod["f"], mod["g"]) == (F, G)
    assert [var.name_hint for var in mod.get_global_vars()] == ["f", "g"]


@pytest.mark.parametrize(
    "module",
    [
        BOTH,
        tir.Module("module"),
        tir.Module("", NVGPU_TARGET._replace(features=("jit", "debug"), libs=("mkl",))),
        tir.Module("m", functions=(G, F)),
        tir.Module("m", functions=(G,), submodules=(BOTH, tir.Module("a", functions=(F,)))),
    ],
    ids=["both", "empty", "target", "order", "submodules"],
)
def test_module_comes_back_as_it_was(module):
    assert structural_equal(again(module), module)


@pytest.mark.parametrize("target", [HOST_TARGET, NVGPU_TARGET, tir.Target()])
def test_target_comes_back(target):
    assert again(tir.Module("m", target)).target == target


def test_module_comes_back_by_way_of_text():
    module = tir.Module("m", HOST_TARGET, (), (G, F), (BOTH,))
    assert structural_equal(from_ir_module(relay.parse(relay.astext(to_ir_module(module)))), module)


def test_definitions_come_back_as_they_were():
    mod = relay.IRModule(
        {f"f{seed}": random_func(seed).with_fields(name=f"f{seed}") for seed in seeds(12)}
    )
    back = to_ir_module(from_ir_module(mod))
    assert structural_equal(back, mod)
    assert all(back[name] is mod[name] for name in mod.get_global_vars())


def test_name_and_target_may_be_said():
    module = from_ir_module(relay.IRModule({"f": F}), "mine", HOST_TARGET)
    assert (module.name, module.target, module.functions) == ("mine", HOST_TARGET, (F,))


def test_module_with_shared_memory_is_refused_by_name():
    module = tir.Module("m", buffers=(tir.Buffer("_Shared", (4,)),), functions=(F,))
    with pytest.raises(FieldError, match=r"functions of module 'm' share memory \(_Shared\)"):
        to_ir_module(module)


def test_two_functions_of_one_name_are_refused():
    with pytest.raises(DuplicateNameError, match="two definitions called 'f'"):
        to_ir_module(tir.Module("m", functions=(F, F)))
    with pytest.raises(DuplicateNameError, match="two definitions called 'f'"):
        to_ir_module(tir.Module("m", functions=(F,), submodules=(tir.Module("f"),)))


def test_function_of_relay_is_refused():
    x = relay.var("x")
    with pytest.raises(FieldError, match=r"@main is a Function .*expected a LoweredFunc"):
        from_ir_module(relay.IRModule({"main": relay.Function((x,), x)}))


def test_function_under_another_name_than_its_own_is_refused_with_the_remedy():
    with pytest.raises(FieldError, match=r"@main calls itself 'f'; .*with_fields\(name='main'\)"):
        from_ir_module(relay.IRModule({"main": F}))


def test_attribute_that_has_no_place_is_refused():
    with pytest.raises(FieldError, match="attribute 'executor' has no place"):
        from_ir_module(relay.IRModule({"f": F}, attrs=DictAttrs({"executor": "graph"})))


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ("x", "is 'x'; expected a dictionary"),
        ({"order": ("f", "h")}, r"gives the order \('f', 'h'\); expected the names .*, f"),
        ({"target": ("linux",)}, r"gives the target \('linux',\); expected operating system"),
        ({"target": ("linux", "z80", "64", (), ())}, "gives the target .*z80"),
        ({"target": 3}, "gives the target 3"),
    ],
)
def test_attribute_that_says_nothing_useful_is_refused(said, complaint):
    mod = relay.IRModule({"f": F}, attrs=DictAttrs({"tir": said}))
    with pytest.raises(FieldError, match=complaint):
        from_ir_module(mod)


def test_type_definition_is_refused():
    header = relay.GlobalTypeVar("List")
    mod = relay.IRModule({}, {header: relay.TypeData(header, (), ())})
    with pytest.raises(FieldError, match="type List has no place"):
        from_ir_module(mod)

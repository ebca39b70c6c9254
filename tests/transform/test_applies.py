"""Pass classes that say which function does their work."""

from __future__ import annotations

import pytest

from relayish.errors import DeclarationError, PassError
from relayish.ir.relay.expr import Expr, Function, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.transform import FunctionPass, ModulePass, PassContext, PassRegistry, register_pass

FUNCTION = Function((), Tuple(()))


def test_fields_are_given_to_the_function_by_name() -> None:
    def drop(func: Expr, *, twice: bool = False) -> Expr:
        return Function((), Tuple((Tuple(()),))) if twice else func

    @register_pass(opt_level=0, registry=PassRegistry())
    class Drop(FunctionPass, applies=drop):
        """Drop."""

        twice: bool = False

    mod = IRModule({"main": FUNCTION})
    assert Drop()(mod) is mod
    assert Drop(twice=True)(mod) is not mod


def test_module_and_context_are_given_to_a_function_that_has_such_parameters() -> None:
    given = []

    def look(func: Expr, ctx: PassContext, mod: IRModule | None = None) -> Expr:
        given.append((mod, ctx))
        return func

    @register_pass(opt_level=0, registry=PassRegistry())
    class Look(FunctionPass, applies=look):
        """Look."""

    mod = IRModule({"main": FUNCTION})
    with PassContext() as ctx:
        Look()(mod)
    ((mod_given, ctx_given),) = given
    assert mod_given is mod
    assert ctx_given is ctx


def test_module_pass_applies_its_function_to_the_module() -> None:
    def only(mod: IRModule, entry: str = "main") -> IRModule:
        return IRModule({entry: mod[entry]})

    @register_pass(opt_level=0, registry=PassRegistry())
    class Only(ModulePass, applies=only):
        """Only."""

        entry: str = "main"

    out = Only(entry="f")(IRModule({"main": FUNCTION, "f": FUNCTION}))
    assert [name.name_hint for name in out] == ["f"]


def test_field_that_is_no_parameter_is_refused() -> None:
    with pytest.raises(DeclarationError, match=r"Same has a field 'deep', but <lambda>.* no such"):

        class Same(FunctionPass, applies=lambda same: same):
            deep: bool = False


def test_result_that_is_no_function_is_refused() -> None:
    @register_pass(opt_level=0, registry=PassRegistry())
    class Body(FunctionPass, applies=lambda func: Var("x")):
        """Body."""

    with pytest.raises(PassError, match="pass Body must return a Function; found a Var"):
        Body()(IRModule({"main": FUNCTION}))


def test_subclass_does_what_the_class_above_it_does() -> None:
    class Same(FunctionPass, applies=lambda func: func):
        """Same."""

    @register_pass(opt_level=0, registry=PassRegistry())
    class Again(Same):
        """Again."""

    mod = IRModule({"main": FUNCTION})
    assert Again()(mod) is mod

"""Fresh global names: nodes that stand for functions, one for each name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from relayish.errors import DuplicateNameError
from relayish.ir.modules.module import Module
from relayish.ir.relay.expr import GlobalVar
from relayish.ir.scopes.name_supply import NameSupply

_MODULE_NAME: Final = "mod_name"
_DEFAULT_PREFIX: Final = "tvmgen_default"


class GlobalVarSupply:
    """Gives global variables whose names nobody has, and those that somebody has by name.

    Args:
        value: The module, or modules, whose global names are taken; or where names come from. The
            prefix is the attribute ``mod_name`` of the first module, and ``tvmgen_default``
            without; where no module is given, that of the names.

    Raises:
        DuplicateNameError: If two global variables of the modules have one name.

    Complexity:
        Linear in the definitions of the modules; then as :class:`NameSupply`.

    Source:
        TVM ``GlobalVarSupply``.

    Example:
        >>> from relayish.ir.relay.expr import Function, Tuple
        >>> from relayish.ir.relay.module import IRModule
        >>> supply = GlobalVarSupply(IRModule({"main": Function((), Tuple(()))}))
        >>> supply.fresh_global("main").name_hint
        'tvmgen_default_main'
        >>> supply.fresh_global("main", add_prefix=False).name_hint
        'main_1'
    """

    __slots__ = ("_vars", "name_supply")

    def __init__(
        self,
        value: NameSupply | Module[GlobalVar] | Sequence[Module[GlobalVar]] | None = None,
    ) -> None:
        self._vars: dict[str, GlobalVar] = {}
        if isinstance(value, NameSupply):
            self.name_supply = value
            return
        self.name_supply = NameSupply()
        modules = [value] if isinstance(value, Module) else list(value or ())
        if modules:
            attrs = modules[0].attrs
            given = None if attrs is None else attrs.get(_MODULE_NAME)
            self.name_supply.prefix = given if isinstance(given, str) else _DEFAULT_PREFIX
        for mod in modules:
            for var in mod.functions:
                self.reserve_global(var)

    def fresh_global(self, name: str, add_prefix: bool = True) -> GlobalVar:
        """Return a new global variable of a name made from ``name`` that nobody has."""
        fresh = self.name_supply.fresh_name(name, add_prefix)
        made = self._vars[fresh] = GlobalVar(fresh)
        return made

    def unique_global_for(self, name: str, add_prefix: bool = True) -> GlobalVar:
        """Return the global variable called ``name``, a new one if there is none yet."""
        reserved = self.name_supply.reserve_name(name, add_prefix)
        found = self._vars.get(reserved)
        if found is None:
            found = self._vars[reserved] = GlobalVar(reserved)
        return found

    def reserve_global(self, var: GlobalVar, allow_conflict: bool = False) -> None:
        """Take the name of ``var``, which is then found by it.

        Raises:
            DuplicateNameError: If another has that name, unless ``allow_conflict``.
        """
        name = var.name_hint
        taken = self._vars.get(name)
        if taken is not None and taken is not var and not allow_conflict:
            raise DuplicateNameError(
                f"two global variables go by the name {name!r}; rename one of them, or "
                f"say allow_conflict=True"
            )
        self.name_supply.reserve_name(name, add_prefix=False)
        self._vars[name] = var

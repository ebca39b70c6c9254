"""State of writing that all graphs of a model share: operator sets, functions, tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from numpy.typing import NDArray

from relayish.errors import ModelError
from relayish.frontend.onnx.external import Store, as_array
from relayish.frontend.onnx.opsets import choose_opsets
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.relay.expr import Constant, Function, GlobalVar
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.onnx import info

_USUAL_OPSET: Final = 17
"""The version of ONNX's own operators that is imported where none of them needs another."""


class ModelWriter:
    """What all graphs of a model share.

    Attributes:
        store: What writes tensors.
        main: The graph of the model.
        functions: Definitions that become functions of the model.
        opsets: The version of each operator set.
    """

    def __init__(self, mod: IRModule, store: Store) -> None:
        self.store = store
        self.functions: dict[str, Function] = {}
        for key, function in mod.functions.items():
            self.functions[key.name_hint] = _check_function(key.name_hint, function)
        if "main" not in self.functions:
            raise ModelError("the module has no definition @main, which is the graph of a model")
        self.main = self.functions.pop("main")
        shared = [each for each in self.functions.values() if not told_opsets(each.attrs)]
        told = told_opsets(mod.attrs)
        self.opsets = choose_opsets([self.main, *shared], told)
        if not told:
            self.need_own_operators()
        for name in self.functions:
            self.opsets.setdefault(self.identify_function(name)[0], 1)

    def need_own_operators(self) -> None:
        """Import ONNX's own operators, if no version of them is imported."""
        if not {"", "ai.onnx"} & self.opsets.keys():
            self.opsets[""] = _USUAL_OPSET

    def identify_function(self, name: str) -> tuple[str, str, str]:
        """Return domain, name and overload of the function of the model that a definition is."""
        function = self.functions.get(name)
        if function is None:
            raise ModelError(
                f"@{name} is called, which is no function of the model; expected one that the "
                f"module defines, other than @main"
            )
        told = None if function.attrs is None else function.attrs.get(info.FUNCTION)
        if isinstance(told, DictAttrs):
            return str(told["domain"]), str(told["name"]), str(told["overload"])
        domain, _, rest = name.partition("::")
        return (domain, rest, "") if domain and rest else ("functions", name, "")

    def opsets_of(self, function: Function) -> Mapping[str, int]:
        """Return the versions of operator sets that a function of the model imports."""
        told = told_opsets(function.attrs)
        if not told:
            return self.opsets
        opsets = choose_opsets([function], told)
        for each in EXPRESSIONS.post_order(function):
            if type(each) is GlobalVar:
                opsets.setdefault(self.identify_function(each.name_hint)[0], 1)
        return opsets


def iterate_tensors(mod: IRModule) -> Iterator[NDArray[Any]]:  # Any: of whatever element type
    """Yield the tensors that constants of a module hold."""
    for root in mod.functions.values():
        for each in EXPRESSIONS.post_order(root):
            found = as_array(each.data) if type(each) is Constant else None
            if found is not None:
                yield found


def told_opsets(attrs: Any) -> dict[str, int]:  # Any: attributes, or None
    """Return what attributes say of operator sets."""
    told = None if attrs is None else attrs.get(info.OPSETS)
    if not isinstance(told, DictAttrs):
        return {}
    found: dict[str, int] = {}
    for domain, version in told.items():
        if not isinstance(version, int):
            raise ModelError(
                f"the operator set {domain!r} is of version {version!r}; expected a number"
            )
        found[domain] = version
    return found


def _check_function(name: str, function: object) -> Function:
    if type(function) is not Function:
        raise ModelError(
            f"@{name} is a {type(function).__name__}, which a model of ONNX cannot hold; expected "
            f"a function"
        )
    return function

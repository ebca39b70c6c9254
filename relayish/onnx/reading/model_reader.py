"""State of reading that all graphs of a model share: operator sets, functions, sizes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from relayish._support.graph import components
from relayish.errors import ModelError
from relayish.ir.relay.expr import GlobalVar
from relayish.onnx.operator_sets import canonical_domain
from relayish.onnx.package import load_onnx
from relayish.onnx.protos.attributes import graphs_of_attribute
from relayish.onnx.protos.files import DataFiles
from relayish.onnx.protos.types import Dimensions
from relayish.onnx.reading.node_order import DEEPEST
from relayish.onnx.reading.type_reader import TypeReader

_Key = tuple[str, str, str]
"""Domain, name and overload, by which nodes call a function of the model."""


class ModelReader:
    """What all graphs of a model share.

    Attributes:
        files: The files beside the model, ``None`` if nobody knows where it lies.
        opsets: The version of each operator set, by domain.
        dimensions: The named dimensions.
        types: What reads the types of values.
        functions: The functions of the model.
        globals: The names by which calls refer to them.
    """

    def __init__(self, proto: Any, files: DataFiles | None) -> None:  # Any: a ModelProto
        self.files = files
        self.dimensions = Dimensions()
        self.types = TypeReader(self.dimensions)
        self.opsets = read_opsets(proto.opset_import, "the model")
        if not self.opsets:
            raise ModelError(
                "the model imports no operator set, so nothing says what its nodes mean; expected "
                "opset_import"
            )
        self.functions: dict[_Key, Any] = {}  # Any: FunctionProtos
        self.globals: dict[_Key, GlobalVar] = {}
        self._names = {"main"}
        for function in proto.functions:
            self._add_function(function)
        _refuse_circles(self.functions)

    def _add_function(self, function: Any) -> None:  # Any: a FunctionProto
        key = (canonical_domain(function.domain), function.name, function.overload)
        name = "::".join([function.domain, *(part for part in key[1:] if part)])
        if key in self.functions:
            raise ModelError(f"two functions of the model are called {name!r}; expected one")
        self.functions[key] = function
        self.globals[key] = GlobalVar(self._choose_name(name))

    def _choose_name(self, name: str) -> str:
        """Return a name that no definition has: parts of other functions may add up to the same."""
        found = name
        while found in self._names:
            found = f"{found}_"
        self._names.add(found)
        return found

    def find_function(self, node: Any) -> GlobalVar | None:  # Any: a NodeProto
        """Return the function of the model that a node calls, ``None`` if it calls an operator."""
        return self.globals.get(_key_of(node))

    def count_inputs(self, node: Any) -> int:  # Any: a NodeProto
        """Return how many inputs the function takes that a node calls; it may give fewer."""
        return len(self.functions[_key_of(node)].input)


def _key_of(node: Any) -> _Key:  # Any: a NodeProto
    return canonical_domain(node.domain), node.op_type, node.overload


def read_opsets(imports: Iterable[Any], what: str) -> dict[str, int]:  # Any: OperatorSetIdProtos
    """Return the version of each operator set, by domain.

    Raises:
        ModelError: If there is no such version, or the installed package does not know it yet.
    """
    defs = load_onnx("onnx.defs")
    known = {"": defs.onnx_opset_version(), "ai.onnx.ml": defs.onnx_ml_opset_version()}
    found: dict[str, int] = {}
    for each in imports:
        domain, version = canonical_domain(each.domain), each.version
        if version < 1:
            raise ModelError(
                f"{what} imports version {version} of the operator set {each.domain!r}; expected 1 "
                f"or more"
            )
        if version > known.get(domain, version):
            raise ModelError(
                f"{what} imports version {version} of the operator set {each.domain!r}, and the "
                f"installed onnx {load_onnx().__version__} knows those up to {known[domain]}; "
                f"install a newer one: pip install -U onnx"
            )
        if found.setdefault(domain, version) != version:
            raise ModelError(
                f"{what} imports versions {found[domain]} and {version} of the operator set "
                f"{each.domain!r}; expected one"
            )
    return found


def _refuse_circles(functions: Mapping[_Key, Any]) -> None:  # Any: FunctionProtos
    """Refuse functions that call each other in a circle, which ONNX does not let them."""
    if not functions:
        return
    called = {key: _called(function.node) for key, function in functions.items()}
    calls = {key: found.keys() & functions.keys() for key, found in called.items()}
    for group in components(calls):
        if len(group) > 1 or group[0] in calls[group[0]]:
            names = ", ".join(repr(name) for _, name, _ in group[:8])
            raise ModelError(
                f"functions of the model call each other in a circle: {names}; expected none, "
                f"since functions of ONNX are put in place of their calls"
            )


def count_calls(proto: Any) -> int:  # Any: a ModelProto
    """Return how many nodes a model has once functions stand in the place of their calls."""
    functions = {
        (canonical_domain(each.domain), each.name, each.overload): _called(each.node)
        for each in proto.functions
    }
    counts: dict[_Key, int] = {}

    def count(called: Mapping[_Key, int]) -> int:
        return sum([times * counts.get(each, 1) for each, times in called.items()])

    for group in components(functions):
        counts |= {key: count(functions[key]) for key in group}
    return count(_called(proto.graph.node))


def _called(nodes: Iterable[Any]) -> Counter[_Key]:  # Any: NodeProtos
    """Return what nodes call, those in their graphs included, and how often."""
    found: Counter[_Key] = Counter()
    waiting = [(node, 0) for node in nodes]
    while waiting:
        node, depth = waiting.pop()
        found[canonical_domain(node.domain), node.op_type, node.overload] += 1
        for attribute in node.attribute:
            for graph in graphs_of_attribute(attribute) if depth < DEEPEST else ():
                waiting += [(inner, depth + 1) for inner in graph.node]
    return found

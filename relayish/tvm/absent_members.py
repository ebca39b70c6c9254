"""Attributes and methods of TVM's classes that relayish's have not, and what to write instead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_SAME = "nodes are one object or are not; write a is b, or relay.structural_equal(a, b)"
_DECLARE = (
    "an operator is declared once; write "
    'relay.op.register_op(name, arguments=("x",), rule=lambda attrs, x: x, evaluate=f)'
)
_VALUES = "attributes are Python's own {}; write attrs.key or attrs['key']"

_NODE: Final = {
    "same_as": _SAME,
    "handle": "nodes are Python objects; hash(node) and id(node) tell them apart",
    "script": "TVMScript is a format of TensorIR; write node.astext()",
    "show": "write print(node), or relay.draw(node)",
}

_MODULE: Final = {
    "update_func": "modules are immutable; write mod = mod.with_function(var, func)",
    "add": "modules are immutable; write mod = mod.with_function(var, func), "
    "and mod = mod.with_type(data) for a type definition",
    "import_": "write mod = mod.with_module(relay.parse(path.read_text()))",
    "import_from_std": "modules are immutable; write "
    'mod = relay.prelude.import_from_std(mod, "nat.rly")',
    "get_attrs": "write mod.attrs",
    "update_global_info": "modules hold functions and type definitions; keep what else "
    "you need in mod.with_attr(key, value)",
    "replace_global_vars": "write mod = relay.IRModule({new.get(v, v): f for v, f in "
    "mod.functions.items()}) with the calls in each f changed by an ExprMutator",
    "get_global_type_vars": "write tuple(mod.type_definitions)",
    "remove": "modules are immutable; write mod = mod.without_functions([name])",
    "shallow_copy": "modules are immutable; keep mod itself, it never changes",
    "clone": "modules are immutable; keep mod itself, it never changes",
    **_NODE,
}

_OP: Final = {
    "set_attrs_type_key": _DECLARE,
    "arguments": "write relay.op.properties.arguments.get(op)",
    "description": "write relay.op.properties.description.get(op)",
    "attrs_type_key": "write relay.op.properties.attrs_type.get(op).type_key",
}

_ATTRS: Final = {
    "get_int": _VALUES.format("ints"),
    "get_float": _VALUES.format("floats"),
    "get_str": _VALUES.format("strings"),
    "get_int_tuple": _VALUES.format("tuples of ints"),
    "list_field_info": (
        "write attrs.field_names, and relayish.ir.attributes.attrs.annotations_of(type(attrs))"
    ),
}

MEMBERS: Final[Mapping[str, Mapping[str, str]]] = {
    "Node": _NODE,
    "Module": _MODULE,
    "Op": _OP,
    "Attrs": _ATTRS,
    "Target": {
        "from_device": "write relayish.tvm.target.Target(kind)",
        "list_kinds": "a target may be of any kind; write its name",
    },
    "Var": {
        "vid": "a variable is told by the object; write var.name_hint for its name, "
        "and var is other to compare",
    },
    "Function": {
        "set_attribute": "nodes are immutable; write func = func.with_attr(key, value)",
        "set_params": "write relay.bind(func.body, {param: const, ...}) or "
        "relay.build_module.bind_params_by_name(func, params)",
    },
    "TensorType": {"ndim": "write len(ty.shape)", "rank": "write len(ty.shape)"},
}
"""By the name of a class of relayish, which stands for those below it."""

"""Keys of functions whose results have the same type: programs of calls, up to values."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Constant, Function, Op, Tuple, TupleGetItem
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.onnx.node_inference import key_of_type

Key: TypeAlias = tuple[object, ...]


def key_of_function(function: Function) -> Key | None:
    """Return what is equal of functions whose bodies have types that say the same.

    Returns:
        ``None`` for functions that hold more than calls of operators, tuples and tensors.

    Complexity:
        Linear in the distinct nodes; constants are not looked into.
    """
    places: dict[Node, int] = {param: place for place, param in enumerate(function.params)}
    told: list[object] = [key_of_type(param.type_annotation) for param in function.params]
    for each in EXPRESSIONS.post_order(function.body):
        if each in places:
            continue
        if type(each) is Call and not each.type_args:
            told.append((places[each.op], each.attrs, *[places[arg] for arg in each.args]))
        elif type(each) is Op:
            told.append(each)
        elif type(each) is Constant and isinstance(each.data, (np.ndarray, np.generic)):
            told.append((Constant, each.data.shape, each.data.dtype))
        elif type(each) is Tuple:
            told.append((Tuple, *[places[field] for field in each.fields]))
        elif type(each) is TupleGetItem:
            told.append((TupleGetItem, each.index, places[each.tuple_value]))
        else:
            return None
        places[each] = len(places)
    return tuple(told)

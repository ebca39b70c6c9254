"""Random models of ONNX: operators of many families and element types, branches, loops, functions.

A model is determined by its seed. It computes only what our kernels and ``onnx.checker`` take, and
only finite numbers: each node is run when it is made, and left out if it is refused. Whatever jumps
(a comparison, a cast to integers) is fed with numbers that no rounding changes, so that results of
a rewritten model may differ in their last digits alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import onnx
from onnx import AttributeProto, NodeProto, helper

from tests.support.onnx_families import Families
from tests.support.onnx_maker import (
    FLOATS,
    LOCAL,
    Scope,
    Value,
    dtype_of,
    info_of,
    names_in,
    tensor_type,
)

OFTEN = {"make_network": 3, "make_chain": 2, "make_unary": 2, "make_binary": 2}
"""How much more often than others some families are drawn."""


class RandomModel(NamedTuple):
    """A model, and inputs that it takes."""

    model: onnx.ModelProto
    inputs: dict[str, np.ndarray]


def random_model(seed: int, size: int = 14, opset: int = 21, *, plain: bool = False) -> RandomModel:
    """Return a random model of about ``size`` nodes, not counting those within others.

    If it is ``plain``, its numbers are float32 and int64, with which every runtime can do the most.
    """
    maker = _Maker(seed, size, opset, plain=plain)
    kinds = [name for name in dir(maker) if name.startswith("make_")]
    weights = [OFTEN.get(name, 1) for name in kinds]
    for name in maker.random.choices(kinds, weights, k=size):
        getattr(maker, name)(maker.scope)
    return maker.model()


def is_close(one: np.ndarray, other: np.ndarray) -> bool:
    """Return whether two results of a model are the same but for how they were rounded."""
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    if one.dtype.name.startswith("float8"):
        one, other = one.astype("float32"), other.astype("float32")
        return bool(np.array_equal(one, other, equal_nan=True))
    if one.dtype.name not in FLOATS:
        return bool(np.array_equal(one, other))
    digits = {"float16": 2e-2, "bfloat16": 1e-1}.get(one.dtype.name, 2e-4)
    a, b = one.astype("float64"), other.astype("float64")
    most = np.abs(a[np.isfinite(a)]).max(initial=1.0)
    return bool(np.allclose(a, b, rtol=digits, atol=digits * most, equal_nan=True))


class _Maker(Families):
    """Makes whole models."""

    # what holds other graphs

    def make_branch(self, scope: Scope) -> list[Value]:
        condition = self.pick(scope, lambda each: dtype_of(each) == "bool" and each.array.size == 1)
        if condition is None or self.random.random() < 0.3:
            condition = self.constant(scope, np.array(self.random.random() < 0.5))
        wanted = self.pick(scope, lambda each: each.array.size > 0)
        if wanted is None:
            return []
        graphs = [self.inner(scope, wanted) for _ in range(2)]
        return self.add(
            scope,
            "If",
            [condition],
            captured=[each for _, used in graphs for each in used],
            then_branch=graphs[0][0],
            else_branch=graphs[1][0],
        )

    def inner(self, scope: Scope, wanted: Value) -> tuple[onnx.GraphProto, list[Value]]:
        """Return a graph that gives what is like a value, and what it takes from outside."""
        inside = self.nested(scope, self.random.randrange(1, 4))
        result = self.pick(
            inside,
            lambda each: (
                each.array.dtype == wanted.array.dtype and each.array.shape == wanted.array.shape
            ),
        )
        assert result is not None  # the value itself at least
        name = self.name()
        inside.nodes.append(helper.make_node("Identity", [result.name], [name]))
        graph = helper.make_graph(inside.nodes, name, [], [info_of(name, result.array)])
        return graph, self.taken(scope, inside.nodes)

    def nested(self, scope: Scope, size: int) -> Scope:
        inside = Scope([], list(scope.pool))
        for _ in range(size):
            make = self.random.choice(
                (self.make_unary, self.make_binary, self.make_view, self.make_part)
            )
            make(inside)
        return inside

    @staticmethod
    def taken(scope: Scope, nodes: list[NodeProto]) -> list[Value]:
        names = set(names_in(nodes))
        return [each for each in scope.pool if each.name in names]

    def make_loop(self, scope: Scope) -> list[Value]:
        state = self.pick(
            scope, lambda each: each.array.dtype == np.float32 and each.array.size > 0
        )
        if state is None:
            return []
        trips, stop, old = self.name(), self.name(), self.name()
        inside = Scope([], [*scope.pool, Value(old, state.array, False)])
        for _ in range(self.random.randrange(1, 4)):
            self.random.choice((self.make_unary, self.make_binary))(inside)
        new = self.pick(
            inside,
            lambda each: each.array.dtype == np.float32 and each.array.shape == state.array.shape,
        )
        assert new is not None
        names = [self.name() for _ in range(3)]
        inside.nodes += [
            helper.make_node("Identity", [stop], [names[0]]),
            helper.make_node("Tanh", [new.name], [names[1]]),  # it stays finite however often
            helper.make_node("Identity", [old], [names[2]]),
        ]
        body = helper.make_graph(
            inside.nodes,
            names[0],
            [info_of(trips, np.array(0)), info_of(stop, np.array(True)), info_of(old, state.array)],
            [
                info_of(names[0], np.array(True)),
                info_of(names[1], state.array),
                info_of(names[2], state.array),
            ],
        )
        count = self.constant(scope, np.array(self.random.randrange(4)))
        going = self.constant(scope, np.array(self.random.random() < 0.9))
        used = self.taken(scope, inside.nodes)
        made = self.add(scope, "Loop", [count, going, state], 2, captured=used, body=body)
        scope.pool[len(scope.pool) - len(made) :] = [each._replace(is_exact=False) for each in made]
        return made

    def make_call(self, scope: Scope) -> list[Value]:
        """A call of a function of the model, with an attribute of its own."""
        if not self.functions or self.random.random() < 0.3:
            self.functions.append(self.function())
        func = self.random.choice(self.functions)
        x = self.number(scope)
        if x is None:
            return []
        inputs = [x, self.like(scope, x)][: self.random.choice((1, 2, 2))]
        alpha = self.random.choice((None, 0.5)) if func.attribute_proto else None
        made = self.add(scope, func.name, inputs, domain=LOCAL, alpha=alpha)
        scope.pool[len(scope.pool) - len(made) :] = [each._replace(is_exact=False) for each in made]
        return made

    def function(self) -> onnx.FunctionProto:
        name = f"f{len(self.functions)}"
        leaky = helper.make_node("LeakyRelu", ["x"], ["a"])
        leaky.attribute.append(
            AttributeProto(name="alpha", type=AttributeProto.FLOAT, ref_attr_name="alpha")
        )
        body = self.random.choice(
            (
                [leaky, helper.make_node("Clip", ["a", "", "y"], ["out"])],
                [
                    helper.make_node("Add", ["x", "x"], ["a"]),
                    helper.make_node("Mul", ["a", "y"], ["out"]),
                ],
                [helper.make_node("Clip", ["x", "y"], ["out"])],
            )
        )
        return helper.make_function(
            LOCAL,
            name,
            ["x", "y"],
            ["out"],
            body,
            [helper.make_opsetid("", self.opset)],
            attribute_protos=[helper.make_attribute("alpha", 0.25)] if body[0] is leaky else [],
        )

    # the whole

    def model(self) -> RandomModel:
        taken = set(names_in(self.scope.nodes))
        loose = [
            each
            for each in self.scope.pool
            if each.name not in taken and each.name not in self.inputs
        ]
        shown = loose[-6:] or self.scope.pool[-1:]
        extra = [self.pick(self.scope)] if self.random.random() < 0.3 else []
        names = dict.fromkeys(each.name for each in (*shown, *extra) if each is not None)
        arrays = {each.name: each.array for each in self.scope.pool}
        outputs = []
        for name in names:  # an output is made by a node, for what runs it likes no other
            if name in self.inputs:
                self.scope.nodes.append(helper.make_node("Identity", [name], [f"{name}_out"]))
            outputs.append(
                info_of(f"{name}_out" if name in self.inputs else name, arrays[name], sizes=False)
            )
        graph = helper.make_graph(
            self.scope.nodes,
            "random",
            [
                helper.make_tensor_value_info(name, tensor_type(array.dtype.name), shape)
                for (name, array), shape in zip(self.inputs.items(), self.symbols, strict=True)
            ],
            outputs,
            initializer=self.initializers,
        )
        return RandomModel(self.wrap(graph), self.inputs)

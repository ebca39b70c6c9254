"""Lists of the prelude, and a type of one's own."""

import numpy as np
import tvm
from tvm import relay
from tvm.relay.backend.interpreter import ConstructorValue
from tvm.relay.prelude import Prelude

p = Prelude(tvm.IRModule({}))
rlist, cons, nil = p.mod.get_type("List")


def to_python(value):
    assert isinstance(value, ConstructorValue)
    if value.constructor.name_hint == "Nil":
        return []
    head, tail = value.fields
    return [int(head), *to_python(tail)]


x = relay.var("x", "int32")
square = relay.Function([x], relay.multiply(x, x))
numbers = nil()
for number in reversed(range(5)):
    numbers = cons(relay.const(number), numbers)

intrp = relay.create_executor(mod=p.mod, device=tvm.cpu(), target="llvm")
assert to_python(intrp.evaluate(p.map(square, numbers))) == [0, 1, 4, 9, 16]
assert int(intrp.evaluate(p.length(numbers)).numpy()) == 5

tree = relay.GlobalTypeVar("Shape")
a = relay.TypeVar("a")
circle = relay.Constructor("Circle", [relay.scalar_type("float32")], tree)
box = relay.Constructor("Box", [relay.scalar_type("float32"), relay.scalar_type("float32")], tree)
shape_data = relay.TypeData(tree, [], [circle, box])

s = relay.Var("s", tree())
r, w, h = relay.Var("r"), relay.Var("w"), relay.Var("h")
area = relay.Function(
    [s],
    relay.Match(
        s,
        [
            relay.Clause(
                relay.PatternConstructor(circle, [relay.PatternVar(r)]),
                relay.multiply(relay.const(3.0), relay.multiply(r, r)),
            ),
            relay.Clause(
                relay.PatternConstructor(box, [relay.PatternVar(w), relay.PatternVar(h)]),
                relay.multiply(w, h),
            ),
        ],
    ),
    relay.scalar_type("float32"),
)
mod = tvm.IRModule({relay.GlobalVar("area"): area}, {tree: shape_data})
assert not relay.analysis.unmatched_cases(area.body, mod)
mod = relay.transform.InferType()(mod)
run = relay.create_executor(mod=mod)
value = run.evaluate(
    relay.Call(mod.get_global_var("area"), [box(relay.const(2.0), relay.const(4.0))])
)
np.testing.assert_allclose(value.numpy(), 8.0)

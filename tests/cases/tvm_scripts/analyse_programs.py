"""Analyses of expressions and modules, with the walks that people write around them."""

import tvm
from tvm import relay
from tvm.relay.analysis import Feature, all_vars, detect_feature, free_vars, well_formed
from tvm.relay.analysis.analysis import check_kind, post_order_visit

x = relay.var("x", shape=(10, 10))
y = relay.var("y", shape=(10, 10))
z = relay.add(x, y)
assert list(free_vars(z)) == [x, y]
assert set(all_vars(relay.Let(x, y, z))) == {x, y}

names = []


def fvisit(expr):
    if isinstance(expr, relay.Call) and isinstance(expr.op, tvm.ir.Op):
        names.append(expr.op.name)


post_order_visit(relay.nn.relu(z), fvisit)
assert names == ["add", "nn.relu"]
assert all(name in tvm.ir.Op.list_op_names() for name in names)

func = relay.Function([x, y], z)
assert well_formed(func)
assert Feature.fFunction in detect_feature(func)
assert Feature.fLet not in detect_feature(func)
assert check_kind(relay.TupleType([])) == relay.TypeKind.Type

mod = relay.transform.InferType()(tvm.IRModule.from_expr(func))
assert relay.analysis.list_op_freqs(mod) == {"add": 1}
assert [int(size) for size in mod["main"].body.checked_type.shape] == [10, 10]

parts = relay.split(relay.var("data", shape=(16, 3)), 4, axis=0)
assert parts.size == 4
assert relay.concatenate([relay.nn.relu(part) for part in parts], 0).args[0].fields

prelude = relay.prelude.Prelude(tvm.IRModule())
definition = prelude.mod[prelude.mod.get_global_type_var("List")]
assert [constructor.name_hint for constructor in definition.constructors] == ["Cons", "Nil"]

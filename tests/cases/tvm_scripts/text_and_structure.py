"""Reading, writing, comparing and searching programs."""

import pytest
import tvm
from tvm import relay
from tvm.ir import IRModule
from tvm.relay.analysis import Feature, all_vars, detect_feature, free_vars, well_formed
from tvm.relay.expr import Call, Var
from tvm.relay.ty import TensorType

SEMVER = '#[version = "0.0.5"]\n'

mod = relay.fromtext(
    SEMVER
    + """
    def @double(%x: Tensor[(2, 3), float32]) -> Tensor[(2, 3), float32] {
        add(%x, %x)
    }
    def @main(%a: Tensor[(2, 3), float32]) {
        let %b = @double(%a);
        let %c = nn.softmax(%b, axis=1);
        (%b, %c).1
    }
    """
)
assert isinstance(mod, IRModule)
again = tvm.relay.parse(mod.astext())
tvm.ir.assert_structural_equal(mod, again, map_free_vars=True)
assert tvm.ir.structural_equal(mod["double"], again["double"])
assert tvm.ir.structural_hash(mod["double"]) == tvm.ir.structural_hash(again["double"])

expr = relay.parse_expr("fn (%x: Tensor[(4), float32]) { exp(%x) }")
assert isinstance(expr.body, Call)
assert expr.body.op == relay.op.get("exp")
assert expr.body.op.name == "exp"
assert expr.body.op.get_attr("TOpPattern") == relay.op.OpPattern.ELEMWISE
assert isinstance(expr.params[0], Var)
assert expr.params[0].name_hint == "x"
assert isinstance(expr.params[0].type_annotation, TensorType)
assert [int(size) for size in expr.params[0].type_annotation.shape] == [4]

main = mod["main"]
assert free_vars(main) == ()
assert [v.name_hint for v in all_vars(main)] == ["a", "b", "c"]
assert Feature.fLet in detect_feature(main)
assert well_formed(main)

x = relay.var("x", shape=(10, 10))
f = relay.Function([x], x)
assert not tvm.ir.structural_equal(f, relay.Function([x], relay.exp(x)))
with pytest.raises(ValueError):
    tvm.ir.assert_structural_equal(f, relay.Function([x], relay.exp(x)))

seen = []
relay.analysis.post_order_visit(main, lambda node: seen.append(type(node).__name__))
assert seen[-1] == "Function"

with pytest.raises(tvm.error.DiagnosticError):
    relay.parse(SEMVER + "def @main(%x: Tensor[(2), float32]) { add(%x }")
with pytest.raises(tvm.error.DiagnosticError):
    relay.transform.InferType()(relay.parse(SEMVER + "def @main() { add(1f, (1f, 2f)) }"))
with pytest.raises(tvm.TVMError):
    relay.parse("def @main( {")

attrs = tvm.ir.make_node("relay.attrs.SoftmaxAttrs", axis=1)
assert attrs.axis == 1
assert "axis" in attrs.keys()
func = f.with_attr("Primitive", 1).with_attr("name", "double")
assert func.attrs["name"] == "double"

"""Functions of a model of ONNX: put their bodies where they are called.

Before::

    def @"my::Twice"(%a, onnx.function={"attributes": ["k"], ...}) {
      let %b = onnx::Elu_6(%a){alpha={"_ref": "k"}};
      %b
    }
    def @main(%x: Tensor[(4), float32]) { let %y = @"my::Twice"(%x){k=2f}; %y }

After::

    def @main(%x: Tensor[(4), float32]) { let %b = onnx::Elu_6(%x){alpha=2f}; %b }
"""

from __future__ import annotations

from relayish.ir.relay.module import IRModule
from relayish.pass_infra import register_pass
from relayish.passes.onnx.rewrite.engine import rewrite_module
from relayish.passes.onnx.rewrite.rules.functions import inline_functions_of
from relayish.passes.relay.cleanup.remove_unused_functions import remove_unused_functions


@register_pass("InlineOnnxFunctions", opt_level=1, idempotent=True)
def inline_onnx_functions(mod: IRModule, *, any_version: bool = False) -> IRModule:
    """Inlining of functions of a model of ONNX: put their bodies where they are called.

    Return ``mod`` with calls of such functions replaced by their bodies, with the attributes of the
    call in place of references to them, and without functions that nothing calls any more. A
    function that is written for another version of an operator set, in which one of its operators
    means something else, stays, unless asked for: no file holds both.

    Args:
        mod: A model, as :func:`~relayish.frontend.from_onnx` reads it.
        any_version: Whether functions written for other versions are inlined as well.

    Complexity:
        Linear in the nodes of the result.
    """
    image = rewrite_module(mod, [inline_functions_of(mod, any_version=any_version)])
    return mod if image is mod or "main" not in image else remove_unused_functions(image)

"""Rules that put affine functions into the weights of operators before or behind them."""

from __future__ import annotations

from relayish.ir.relay.expr import Call
from relayish.onnx.calls import inputs_of
from relayish.passes.onnx.fuse.affine import read_affine
from relayish.passes.onnx.fuse.fuse_gelu import find_gelu
from relayish.passes.onnx.fuse.fuse_layer_normalization import ends_normalization
from relayish.passes.onnx.fuse.scaling import (
    SCALED_INPUTS,
    SCALED_RESULTS,
    scale_input,
    scale_result,
)
from relayish.passes.onnx.fuse.views import look_through, repeat
from relayish.passes.onnx.rewrite.engine import Rewriter, rule
from relayish.rewriting.rule import Rule


def affine_rules(*operators: str) -> tuple[Rule, Rule]:
    """Return the rules that fold calls of affine ``operators``, back and forth."""

    @rule(*operators)
    def fold_backward(call: Call, graph: Rewriter) -> Call | None:
        affine = read_affine(call, graph)
        if affine is None:
            return None
        found = look_through(affine.source, affine, graph, SCALED_RESULTS)
        if found is None:
            return None
        steps, weighted, image = found
        scaled = scale_result(weighted, image, graph)
        return None if scaled is None else repeat(steps, scaled, graph)

    @rule(*SCALED_INPUTS)
    def fold_forward(call: Call, graph: Rewriter) -> Call | None:
        value = inputs_of(call)[0]
        before = graph.producer(value, *operators)
        if before is None or not graph.is_used_once(value):
            return None
        if find_gelu(before, graph) is not None or ends_normalization(before, graph):
            return None  # without its factor nothing would know it any more
        affine = read_affine(before, graph)
        return None if affine is None else scale_input(call, affine, graph)

    return fold_backward, fold_forward

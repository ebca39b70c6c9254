"""Marks of programs as loops: the elements are those that are marked."""

from __future__ import annotations

from relayish.domain import register_handler
from relayish.passes.relay.to_loops.formulas import elementwise
from relayish.passes.relay.to_loops.refusing import Refusing

_AS_IT_IS = elementwise(lambda x: x)


@register_handler("loops")
class AnnotationToLoops(Refusing, domain="annotation"):
    """Writes marks as what they mark."""

    handle_bitpack_start = handle_bitpack_end = _AS_IT_IS
    handle_cast_hint = handle_checkpoint = handle_stop_fusion = _AS_IT_IS
    handle_compiler_begin = handle_compiler_end = _AS_IT_IS

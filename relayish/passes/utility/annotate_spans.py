"""Give every expression the place where it stands in the text of its module.

Before::

    exp(%x)

After, with ``%x`` at 2:13 and the call at 3:3 of that text::

    exp(%x) /* span=GeneratedSource:3:3 */
"""

from __future__ import annotations

from typing import Final

from relayish.analysis.infer_type import infer_type
from relayish.ir.relay.expr import Expr
from relayish.ir.relay.module import IRModule
from relayish.pass_infra import register_pass
from relayish.text import astext, parse

SOURCE_NAME: Final = "GeneratedSource"
"""What the spans call the text of the module."""


@register_pass("AnnotateSpans", opt_level=0)
def annotate_spans(mod: IRModule) -> IRModule:
    """Span annotation: give every expression its place in the text of its module.

    Return ``mod`` as its own text reads, so that every expression has a span that points there.

    Errors in programs that were built or transformed can then be looked up in ``astext(mod)``, type
    errors as well: the program need not be well-typed. Where it carries types, so does the result.

    Complexity:
        Linear in the length of the text; no recursion.

    Source:
        Relay ``AnnotateSpans``.

    Example:
        >>> from relayish.ir.relay.build import const
        >>> from relayish.ir.relay.expr import Function
        >>> from relayish.transform import AnnotateSpans
        >>> mod = AnnotateSpans()(IRModule.from_expr(Function((), const(1))))
        >>> str(mod["main"].body.span)
        'GeneratedSource:3:3'
    """
    annotated = parse(astext(mod), SOURCE_NAME)
    functions = mod.functions_of(Expr).values()
    is_typed = all(func.checked_type is not None for func in functions)
    return infer_type(annotated) if is_typed else annotated

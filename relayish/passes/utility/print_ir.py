"""Print the program as it is at some place of a pipeline, and leave it as it is.

``InferType,PrintIR{header="typed"},FoldConstant`` prints, to standard error::

    // typed
    #[version = "0.0.5"]
    def @main(%x: Tensor[(2), float32]) -> Tensor[(2), float32] {
      add(%x, 1f) /* ty=Tensor[(2), float32] */
    }
"""

from __future__ import annotations

import sys

from relayish._support.printable import escape
from relayish.ir.relay.module import IRModule
from relayish.pass_infra import register_pass
from relayish.text import astext


@register_pass("PrintIR", opt_level=0, idempotent=True)
def print_ir(mod: IRModule, *, header: str = "", show_meta_data: bool = False) -> IRModule:
    """Print the program to standard error; ``header`` stands above it, in a comment.

    Relay leaves values of large constants out unless ``show_meta_data`` is true; without it what is
    printed need not parse.

    Returns:
        ``mod`` itself.

    Example:
        >>> import contextlib
        >>> from relayish.ir.relay.expr import Function, Var
        >>> from relayish.transform import PrintIR
        >>> x = Var("x")
        >>> with contextlib.redirect_stderr(sys.stdout):
        ...     mod = PrintIR(header="as it was given")(IRModule({"main": Function((x,), x)}))
        // as it was given
        #[version = "0.0.5"]
        def @main(%x) {
          %x
        }
    """
    heading = "".join(f"// {escape(line)}\n" for line in header.splitlines())
    program = astext(mod, show_meta_data=show_meta_data).rstrip("\n")
    sys.stderr.write(f"{heading}{program}\n")
    return mod

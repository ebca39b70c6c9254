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

from relayish.ir.relay.module import IRModule
from relayish.text import astext
from relayish.transform import ModulePass, PassContext, register_pass


@register_pass(opt_level=0, idempotent=True)
class PrintIR(ModulePass):
    """Print the program to standard error; ``header`` stands above it, in a comment.

    Relay leaves values of large constants out unless ``show_meta_data`` is true; without it what is
    printed need not parse.

    Example:
        >>> import contextlib
        >>> x = Var("x")
        >>> with contextlib.redirect_stderr(sys.stdout):
        ...     mod = PrintIR(header="as it was given")(IRModule({"main": Function((x,), x)}))
        // as it was given
        #[version = "0.0.5"]
        def @main(%x) {
          %x
        }
    """

    header: str = ""
    show_meta_data: bool = False

    def transform_module(self, mod: IRModule, ctx: PassContext) -> IRModule:  # noqa: ARG002
        """Print ``mod`` and return it."""
        heading = "".join(f"// {line}\n" for line in self.header.splitlines())
        program = astext(mod, show_meta_data=self.show_meta_data).rstrip("\n")
        sys.stderr.write(f"{heading}{program}\n")
        return mod

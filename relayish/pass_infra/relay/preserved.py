"""The instrument that checks what passes say they preserve: by finding it again, and comparing."""

from __future__ import annotations

from relayish.ir.modules.module import AnyModule
from relayish.pass_infra.base.info import PassInfo
from relayish.pass_infra.composition.instruments import register_instrument
from relayish.pass_infra.instruments.running import NestingInstrument, RunningPass


@register_instrument("PreservedAnalyses")
class PreservedAnalysesInstrument(NestingInstrument):
    """Refuse passes that do not preserve the analyses they say they preserve.

    What a pass names in ``preserves`` is found of the module it is given and of the one it returns,
    and of each function that it changed; the states have to be the same at each program point.

    Raises:
        PassError: After the pass; names it, the analysis, and the first point that differs.
        UnknownNameError: If the pass names an analysis that is not registered.

    Complexity:
        That of each analysis, up to four times for a pass; nothing for passes that preserve nothing
        or change nothing.

    Example:
        >>> from relayish.ir.relay.expr import Function, Var
        >>> from relayish.ir.relay.module import IRModule
        >>> from relayish.pass_infra import PassContext, create_module_pass
        >>> x, y = Var("x"), Var("y")
        >>> other = IRModule({"main": Function((x, y), y)})
        >>> lie = create_module_pass(lambda m, c: other, 0, "Lie", preserves=("Liveness",))
        >>> with PassContext(instruments=[PreservedAnalysesInstrument()]):
        ...     lie(IRModule({"main": Function((x, y), x)}))
        Traceback (most recent call last):
        ...
        relayish.errors.PassError: pass Lie does not preserve Liveness: in @main it is {%y} after \
entry fn (%x, %y) {...} (point 0), and was {%x}
    """

    def ends(self, running: RunningPass | None, out: AnyModule, info: PassInfo) -> None:
        if running is not None and info.preserves:
            # data-flow analyses, which few programs need
            from relayish.pass_infra.relay.preservation import check_preserved  # noqa: PLC0415

            check_preserved(running.mod, out, info)

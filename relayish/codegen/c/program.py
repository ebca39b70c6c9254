"""Programs as C: the source of a module, and what stands in its header."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from relayish.codegen.c.call_backs import CALL_BACK, DECLARATION, NUMBERS
from relayish.codegen.c.context import Fault, Source
from relayish.codegen.c.dialect import C11, Dialect
from relayish.codegen.c.helpers import write_helpers
from relayish.codegen.c.loops.functions import write_function
from relayish.codegen.c.loops.signatures import Signature, find_signatures
from relayish.codegen.c.names import identifier
from relayish.domain.handler import Handler
from relayish.errors import CodegenError, VerificationError
from relayish.ir.modules.module import Module as IRModule
from relayish.ir.scopes.name_supply import NameSupply
from relayish.tir.interpreter.run import Listed, functions_of, link_functions
from relayish.tir.ir.flags import DeviceAPI
from relayish.tir.ir.function import LoweredFunc, Module
from relayish.tir.verifier import Rule, verify

_LEFT_TO_RUN = frozenset({Rule.BOUNDS, Rule.LOOP_KIND})
"""Rules of which it shows when a program is run whether it keeps them."""


class CSource(NamedTuple):
    """A program in C.

    Attributes:
        text: The source.
        functions: What each function is given, by its name in the program.
        faults: What a status says, from 1 on.
    """

    text: str
    functions: Mapping[str, Signature]
    faults: Sequence[Fault]


def to_c(
    program: LoweredFunc | Module | IRModule[Any],
    *,
    handlers: Sequence[Handler | type[Handler]] = (),
) -> CSource:
    """Return a program of the loop IR in C.

    Each function becomes one that returns a status: 0, or which check failed. What programs mean
    is kept; a check is left out only where it is proven that it holds.

    Args:
        program: A function, or a module of functions that may call one another.
        handlers: What takes the place of the handlers of their domains for the task ``"c"``.

    Raises:
        CodegenError: If C cannot say it: what, where, and why.
        VerificationError: If the program breaks a rule of the loop IR.

    Complexity:
        That of :func:`relayish.tir.analysis.find_out_of_bounds`.

    Source:
        AIR ``b2c``, CINN ``CodeGenC``.
    """
    return write_program(program, handlers)


def write_program(
    program: LoweredFunc | Module | IRModule[Any],
    handlers: Sequence[Handler | type[Handler]] = (),
    *,
    taken: Iterable[str] = (),
    inner: bool = False,
    tells: bool = True,
    dialect: Dialect = C11,
) -> CSource:
    """Return a program of the loop IR in C, as :func:`to_c`, perhaps as a part of more.

    Args:
        program: A function, or a module.
        handlers: What takes the place of the handlers of their domains.
        taken: Names that are to stay free.
        inner: Whether only what stands behind in the same file calls its functions; the first is
            then given memory that it uses again, for several arguments.
        tells: Whether checks that fail tell numbers, which a function :data:`NUMBERS` gives; where
            the source is a part of more, whoever has the rest writes that.
        dialect: What is written.
    """
    listed = _listed(program)
    if not listed:
        raise CodegenError("the module has no function of the loop IR, so nothing is to be written")
    _verify(program)
    supply = NameSupply(taken=[CALL_BACK, NUMBERS, "fault_numbers", *dialect.taken, *taken])
    names = {func: supply.fresh_name(identifier(func.name)) for _, func, _ in listed}
    first = [listed[0][1]] if inner else []
    known = find_signatures(link_functions(listed, "plain"), names, sharing=first)
    source = Source([CALL_BACK, *names.values(), *dialect.taken], dialect, tells=tells)
    written = []
    for each in known.values():
        own = () if each.func.device_api is DeviceAPI.HOST else dialect.handlers
        written.append(write_function(source, each, known, (*own, *handlers)))
    before = "static RELAYISH_APART " if inner else dialect.outside
    written = [(f"{before}{head}", lines) for head, lines in written]
    by_name = {".".join(path): known[func] for path, func, _ in listed}
    told = "" if inner else write_numbers(source.faults, NUMBERS)
    text = _assemble(source, written, told)
    return CSource(text, by_name, tuple(source.faults))


def write_numbers(faults: Sequence[Fault], name: str) -> str:
    """Return the function of C that gives what the last check that failed in this thread tells.

    It is none where no check tells anything.
    """
    if not any(each.shown for each in faults):
        return ""
    return f"const int64_t *{name}(void)\n{{\n  return fault_numbers;\n}}\n"


def _listed(program: LoweredFunc | Module | IRModule[Any]) -> list[Listed]:
    if isinstance(program, LoweredFunc):
        return [((program.name,), program, ())]
    if isinstance(program, (Module, IRModule)):
        return functions_of(program)
    raise CodegenError(
        f"{program!r} cannot be written as C; expected a LoweredFunc, or a module of these"
    )


def _verify(program: LoweredFunc | Module | IRModule[Any]) -> None:
    wrong = [each for each in verify(program) if each.rule not in _LEFT_TO_RUN]
    if wrong:
        raise VerificationError("\n".join(map(str, wrong)), tuple(wrong))


def _assemble(source: Source, written: Sequence[tuple[str, list[str]]], told: str) -> str:
    dialect = source.dialect
    helpers = [
        each.replace("static inline", dialect.inline) for each in write_helpers(source.helpers)
    ]
    parts = [dialect.head, *([DECLARATION] if source.calls_back else []), *helpers]
    parts += [told.rstrip()] if told else []
    parts += source.kernels
    if len(written) > 1:
        parts.append("\n".join([f"{head};" for head, _ in written]))
    parts += ["\n".join([head, "{", *lines, "}"]) for head, lines in written]
    return "\n\n".join(parts) + "\n"

"""Modules of core as C: the source, in order of what needs what."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from relayish.codegen.c.context import Fault
from relayish.codegen.c.core.context import CoreCtx, Part, Place
from relayish.codegen.c.core.functions import write_function
from relayish.codegen.c.core.program import OutsideCall, Program, RunTools
from relayish.codegen.c.core.symbols import moves_values
from relayish.codegen.c.dialect import HEAD
from relayish.codegen.c.helpers import write_helpers
from relayish.core.ir.definition import FuncEntry
from relayish.core.ir.family import Definition, Expr
from relayish.core.ir.stmt import Call, Icall
from relayish.core.verifier import check
from relayish.domain import assemble
from relayish.domain.handler import Handler
from relayish.errors import CodegenError
from relayish.ir.modules.module import AnyModule, check_module
from relayish.ir.scopes.scoping import PROGRAM

_HEAD: Final = f"#include <stdio.h>\n#include <time.h>\n{HEAD}"

STACK: Final = 1 << 22
"""How many bytes of the stack nested calls may take, unless whoever runs the program says more."""


class CoreSource(NamedTuple):
    """A module of core in C.

    Attributes:
        text: The source.
        functions: The functions that can be called, by name: what each is called in C.
        faults: What a status says, from 1 on.
        outside: What the program asks of whoever runs it, by number.
        recurs: Whether a function may be called while it runs.
    """

    text: str
    functions: Mapping[str, str]
    faults: Sequence[Fault]
    outside: Sequence[OutsideCall]
    recurs: bool


def core_to_c(
    mod: AnyModule,
    *,
    handlers: Sequence[Handler | type[Handler]] = (),
    rt_dump: bool = True,
    rt_timing: bool = True,
    rt_validate: bool = True,
) -> CoreSource:
    """Return a module of core in C.

    Variables of the module are members of ``struct program``, which ``open_program`` fills and
    ``close_program`` gives back; functions take it first, and return a status: 0, or which check
    failed. What programs mean is kept. Functions that are declared only are functions of C that are
    defined elsewhere.

    Args:
        mod: The module; what it defines of other languages is left out.
        handlers: What takes the place of the handlers of their domains for the task ``"c"``.
        rt_dump: Whether statements that show variables are written: AIR's option.
        rt_timing: Whether those that take times are.
        rt_validate: Whether those that compare with what is expected are.

    Raises:
        CodegenError: If C cannot say it: what, where, and why.
        VerificationError: If the module breaks a rule of core.

    Complexity:
        That of the data-flow analysis that finds where variables hold values.

    Source:
        AIR ``IR2C``, ``b2c``.

    Example:
        >>> from relayish import core
        >>> scope = core.GlobalScope()
        >>> with scope.function("half", {"n": "int32"}, "int32") as f:
        ...     f.retv(f.n / 2)
        >>> lines = core_to_c(scope.module()).text.splitlines()
        >>> at = lines.index("int32_t half(struct program *self, int32_t n, int32_t *result)")
        >>> lines[at + 3]
        '  *result = n / 2;'
    """
    tools = RunTools(rt_dump, rt_timing, rt_validate)
    return write_program(mod, tools, handlers=handlers, hosted=False)


def write_program(
    mod: AnyModule,
    tools: RunTools,
    *,
    handlers: Sequence[Handler | type[Handler]] = (),
    hosted: bool,
    externs: Collection[str] = (),
) -> CoreSource:
    """Return a module of core in C, for whoever runs it.

    Args:
        mod: The module.
        tools: Which statements that are for people are written.
        handlers: As of :func:`core_to_c`.
        hosted: Whether Python runs it.
        externs: The functions that are declared only and that Python has.

    Raises:
        CodegenError: As of :func:`core_to_c`.
        VerificationError: Likewise.
    """
    check_module(mod, "core is written as C")
    if not mod.functions_of(Definition):
        raise CodegenError("the module defines nothing of core, so nothing is to be written")
    check(mod)
    program = Program(mod, tools, hosted=hosted, externs=externs)
    own = {n: each for n, each in program.definitions.items() if isinstance(each, FuncEntry)}
    recursive = _recursive(program, own)
    keeps_whole = not moves_values(mod)
    written = [
        write_function(
            program, name, keeps_whole=keeps_whole, recurs=name in recursive, handlers=handlers
        )
        for name in own
    ]
    opening = _open(program, handlers)
    return CoreSource(
        _assemble(program, written, opening),
        {name: program.names[name] for name in own},
        tuple(program.source.faults),
        tuple(program.outside),
        bool(recursive),
    )


def _recursive(program: Program, own: Mapping[str, FuncEntry]) -> set[str]:
    """Return the functions that may be called while they run."""
    called: dict[str, set[str]] = {}
    for name, func in own.items():
        found: set[str] = set()
        for node in PROGRAM.pre_order(func.body):
            if isinstance(node, Call):
                found.add(program.resolve(node.entry.name))
            elif isinstance(node, Icall):
                found.update(program.addressed)
        called[name] = found & own.keys()
    return {name for name in own if name in _reached(called, name)}


def _reached(called: Mapping[str, Iterable[str]], name: str) -> set[str]:
    found: set[str] = set()
    pending = list(called[name])
    while pending:
        each = pending.pop()
        if each not in found:
            found.add(each)
            pending += called[each]
    return found


def _open(program: Program, handlers: Sequence[Handler | type[Handler]]) -> list[str]:
    """Return the functions that give the variables of a program what they hold, and free it."""
    ctx = CoreCtx(program)
    visitor = assemble("c", ctx, *handlers)
    places: list[tuple[Place, Expr]] = []
    enter = ctx.helper("enter", "piece")
    for does in ("reach", "leave") if program.hosted else ():
        ctx.helper(does, "piece")
    ctx.line("memset(self, 0, sizeof *self);")
    ctx.line(f"self->machine.stack = {STACK};")
    for name, member in program.globals.items():
        variable = program.definitions[name]
        place = Place(f"self->{member}", variable.type, is_memory=True)
        kind = "CONSTANT_PIECE" if variable.is_const else "VARIABLE_PIECE"
        size = ctx.size_of(variable.type)
        entered = f"{enter}(&self->machine, {place.data()}, NULL, {size}, {kind})"
        ctx.line(f"if (!{entered}) return -2;")
        if variable.init is not None:
            places.append((place, variable.init))
    for place, init in places:
        with ctx.braces("", init), ctx.anew(init):
            part = Part(place, place.type, name=ctx.name_of(place, place.type))
            ctx.store_part(part, ctx.text(visitor, init))
    if ("take_time", "piece") in program.source.helpers:
        ctx.line("start_time_piece(&self->machine);")
    ctx.line("return 0;")
    return [
        "\n".join(["int32_t open_program(struct program *self)", "{", *ctx.lines, "}"]),
        "void close_program(struct program *self)\n{\n  free(self->machine.pieces);\n}",
        *([_ENTER_MEMORY, _LEAVE_MEMORY, _FIND_MEMORY] if program.hosted else []),
        "size_t size_of_program(void)\n{\n  return sizeof(struct program);\n}",
    ]


_ENTER_MEMORY: Final = """\
uint64_t enter_memory_of_program(struct program *self, void *data, int64_t size, int32_t kind)
{
  return enter_piece(&self->machine, data, NULL, size, kind);
}"""

_LEAVE_MEMORY: Final = """\
void leave_memory_of_program(struct program *self, uint64_t address)
{
  leave_piece(&self->machine, address);
}"""

_FIND_MEMORY: Final = """\
int32_t find_memory_of_program(const struct program *self, uint64_t address, struct piece *found)
{
  struct piece *piece;
  const int32_t failed = reach_piece(&self->machine, address, &piece);
  if (!failed) *found = *piece;
  return failed;
}"""


def _assemble(
    program: Program, written: Sequence[tuple[str, list[str]]], opening: Sequence[str]
) -> str:
    members = ["  struct machine machine;"]
    for name, member in program.globals.items():
        members.append(f"  {program.types.declare(program.definitions[name].type, member)};")
    for name, count in (("functions", program.addressed), ("constants", program.with_address)):
        if count:
            members.append(f"  uint64_t {name}[{len(count)}];")
    parts = [
        HEAD.replace(
            "#include <string.h>", "#include <string.h>\n#include <stdio.h>\n#include <time.h>"
        )
    ]
    parts += write_helpers(program.source.helpers)
    parts += program.types.definitions()
    parts.append("\n".join(["struct program {", *members, "};"]))
    parts += [definition for _, definition in program.constants.values()]
    heads = [f"{head};" for head, _ in written]
    parts.append("\n".join([*program.externals.values(), *heads]))
    parts += ["\n".join([head, "{", *lines, "}"]) for head, lines in written]
    return "\n\n".join([*[each for each in parts if each], *opening]) + "\n"

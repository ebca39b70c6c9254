"""Handlers that write what is for people as C: dumps, times and validations."""

from __future__ import annotations

from typing import Final

from relayish.codegen.c.core.calls import Calls, ask
from relayish.codegen.c.core.context import CoreCtx
from relayish.codegen.c.core.declarations import element_of, value_type
from relayish.codegen.c.helpers import HELPERS, Helper
from relayish.codegen.c.text import CText
from relayish.codegen.c.types import C_TYPES
from relayish.core.ir import stmt as stmts
from relayish.core.ir.family import Expr
from relayish.core.ir.memory import pointee_of
from relayish.core.ir.type import Type
from relayish.domain.dispatch import Dispatch
from relayish.errors import CheckError, EvaluationError
from relayish.ir.nodes.node import Node


class Tools(Calls):
    """Writes dumps, times and validations, where the program was built with them.

    Where Python runs the program it shows what there is to show, as the interpreter does; else the
    program writes it to its output.
    """

    def handle_tm_start(self, visitor: Dispatch, node: stmts.TmStart) -> None:
        ctx: CoreCtx = visitor.context
        if ctx.program.tools.rt_timing:
            self._tell(ctx, node, "start_time_piece(&self->machine);", ("start_time", "piece"))

    def handle_tm_taken(self, visitor: Dispatch, node: stmts.TmTaken) -> None:
        ctx: CoreCtx = visitor.context
        if ctx.program.tools.rt_timing:
            line = f"take_time_piece(&self->machine, {_quoted(node.remark)});"
            self._tell(ctx, node, line, ("take_time", "piece"))

    @staticmethod
    def _tell(ctx: CoreCtx, node: Node, line: str, needs: tuple[str, str]) -> None:
        if ctx.program.hosted:
            ask(ctx, ctx.program.ask(node), ())
            return
        ctx.helper(*needs)
        ctx.line(line)

    def handle_dump_var(self, visitor: Dispatch, node: stmts.DumpVar) -> None:
        ctx: CoreCtx = visitor.context
        if not ctx.program.tools.rt_dump:
            return
        title = self._reached(visitor, node.title, node)
        length = self._length(visitor, node.length)
        self._refuse_negative(ctx, length, node)
        address = self._reached(visitor, node.address, node)
        if ctx.program.hosted:
            given = [
                ctx.in_memory(title, node.title.type),
                length.text,
                ctx.in_memory(address, node.address.type),
            ]
            ask(ctx, ctx.program.ask(node), given)
            return
        self._show(ctx, node, title, length, address)

    def _show(
        self, ctx: CoreCtx, node: stmts.DumpVar, title: CText, length: CText, address: CText
    ) -> None:
        held = pointee_of(node.address)
        size = ctx.size_of(held)
        ctx.line(f"{ctx.helper('print_title', 'piece')}(&self->machine, {title.text});")
        at, place = ctx.names.fresh("at"), ctx.names.fresh("place")
        with ctx.braces(f"for (int64_t {at} = 0; {at} < {length.text}; ++{at})", node):
            ctx.line(f"const uint64_t {place} = {address.text} + (uint64_t){at} * {size};")
            ctx.line('fputs(" ", stdout);')
            self._print(ctx, node, held, place)
        ctx.line('fputs("\\n", stdout);')

    def _print(self, ctx: CoreCtx, node: Node, held: Type, place: str) -> None:
        """Write what prints a value at an address."""
        if held.is_struct:
            layout = ctx.program.types.layout
            before = "{"
            for name, each in layout.fields_of(held).items():
                ctx.line(f"fputs({_quoted(f'{before}{name!r}: ')}, stdout);")
                offset = layout.offset_of(held, name)
                self._print(ctx, node, each, f"{place} + {offset}")
                before = ", "
            ctx.line('fputs("}", stdout);')
            return
        if held.is_array:
            element = held.element
            step = ctx.size_of(element)
            at = ctx.names.fresh("at")
            ctx.line('fputs("[", stdout);')
            with ctx.braces(
                f"for (uint64_t {at} = 0; {at} < {ctx.size_of(held) // step}; ++{at})", node
            ):
                ctx.line(f'if ({at}) fputs(" ", stdout);')
                self._print(ctx, node, element, f"{place} + {at} * {step}")
            ctx.line('fputs("]", stdout);')
            return
        name = ctx.names.fresh("shown")
        ctx.line(f"{value_type(held)} {name};")
        read = ctx.helper("read", element_of(held))
        ctx.fail_with(f"{read}(&self->machine, {place}, &{name})", node)
        ctx.line(f"{ctx.helper('print', element_of(held))}({name});")

    def handle_validate(self, visitor: Dispatch, node: stmts.Validate) -> None:
        ctx: CoreCtx = visitor.context
        if not ctx.program.tools.rt_validate:
            return
        held = pointee_of(node.computed)
        length = self._length(visitor, node.length)
        epsilon = ctx.hold(node.epsilon, ctx.text(visitor, node.epsilon), "epsilon")
        self._refuse_negative(ctx, length, node)
        addresses = [
            self._elements(visitor, address, length, node)
            for address in (node.computed, node.expected)
        ]
        element = element_of(held)
        near = ctx.helper("is_near", element)
        peek = ctx.helper("peek", element)
        at = ctx.names.fresh("at")
        pointers = []
        for address in addresses:
            pointer = ctx.helper("pointer", "piece")
            pointers.append(
                ctx.declare("uint8_t *", "elements", f"{pointer}(&self->machine, {address.text})")
            )
        step, wide = ctx.size_of(held), element_of(node.epsilon.type) == "float64"
        with ctx.braces(f"for (int64_t {at} = 0; {at} < {length.text}; ++{at})", node):
            values = [f"{peek}({pointer.text} + {at} * {step})" for pointer in pointers]
            kind = "double" if wide else "float"
            ctx.fail_if(
                f"!{near}({', '.join(values)}, {epsilon.text}, sizeof({kind}))",
                CheckError,
                "an element is not what is expected, by more than is allowed",
                node,
            )

    def _elements(
        self, visitor: Dispatch, address: Expr, length: CText, node: stmts.Validate
    ) -> CText:
        """Return an address at which elements can be read."""
        ctx: CoreCtx = visitor.context
        made = ctx.hold(address, ctx.text(visitor, address), "address")
        readable, size = ctx.helper("readable", "piece"), ctx.size_of(pointee_of(address))
        ctx.fail_with(f"{readable}(&self->machine, {made.text}, {length.text}, {size})", node)
        return made

    @staticmethod
    def _length(visitor: Dispatch, length: Expr) -> CText:
        """Return a length as a number with a sign, of 64 bits."""
        ctx: CoreCtx = visitor.context
        made = ctx.text(visitor, length)
        if length.type == "uint64":
            made = ctx.hold(length, made, "length")
            made = CText(f"{made.text} > INT64_MAX ? INT64_MAX : (int64_t){made.text}")
        return ctx.declare("int64_t", "length", made.text)

    @staticmethod
    def _refuse_negative(ctx: CoreCtx, length: CText, node: Node) -> None:
        ctx.fail_if(
            f"{length.text} < 0",
            EvaluationError,
            "less than no elements are asked for; expected a length of 0 or more",
            node,
        )

    @staticmethod
    def _reached(visitor: Dispatch, address: Expr, node: Node) -> CText:
        """Return an address that is one of memory."""
        ctx: CoreCtx = visitor.context
        made = ctx.hold(address, ctx.text(visitor, address), "address")
        piece = ctx.names.fresh("piece")
        ctx.line(f"struct piece *{piece};")
        ctx.fail_with(
            f"{ctx.helper('reach', 'piece')}(&self->machine, {made.text}, &{piece})", node
        )
        return made


def _quoted(text: str) -> str:
    """Return a string of C."""
    made = []
    for each in text.encode():
        plain = 32 <= each < 127 and chr(each) not in '"\\?'
        made.append(chr(each) if plain else f"\\{each:03o}")
    return '"' + "".join(made) + '"'


_START_TIME: Final = """\
static void start_time_piece(struct machine *machine)
{
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  machine->mark = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}"""

_TAKE_TIME: Final = """\
static void take_time_piece(struct machine *machine, const char *remark)
{
  const double before = machine->mark;
  start_time_piece(machine);
  fputs(remark, stdout);
  printf(": %.6f s\\n", machine->mark - before);
}"""

_PRINT_TITLE: Final = """\
static void print_title_piece(const struct machine *machine, uint64_t title)
{
  struct piece *piece;
  if (!reach_piece(machine, title, &piece)) {
    int64_t at = offset_piece(title);
    for (; at >= 0 && at < piece->size && piece->data[at]; ++at) putchar(piece->data[at]);
  }
  fputs(":", stdout);
}"""

HELPERS.register("start_time", lambda _: Helper(_START_TIME, (("machine", "piece"),)))
HELPERS.register("take_time", lambda _: Helper(_TAKE_TIME, (("start_time", "piece"),)))
HELPERS.register("print_title", lambda _: Helper(_PRINT_TITLE, (("reach", "piece"),)))


def _print(element: str) -> Helper:
    held = C_TYPES[element].value
    if element == "bool":
        body = 'fputs(value ? "True" : "False", stdout)'
    elif held == "double":
        body = 'printf("%.17g", value)'
    elif held == "float":
        body = 'printf("%.9g", (double)value)'
    else:
        wide, sign = ("long long", "d") if not held.startswith("u") else ("unsigned long long", "u")
        body = f'printf("%ll{sign}", ({wide})value)'
    return Helper(f"static inline void print_{element}({held} value)\n{{\n  {body};\n}}")


HELPERS.register("print", _print)


def _near(element: str) -> Helper:
    """Return what tells whether two numbers differ by little, in the type of what little is."""
    held = C_TYPES[element].value
    if held in ("float", "double"):
        difference = "fabs((double)found - (double)wanted)"
    else:
        difference = "(double)(found > wanted ? $U found - $U wanted : $U wanted - $U found)"
        difference = difference.replace("$U ", "(uint64_t)")
    return Helper(
        f"static inline bool is_near_{element}({held} found, {held} wanted, double epsilon, "
        f"size_t size)\n{{\n"
        f"  const double difference = {difference};\n"
        f"  if (found == wanted) return true;\n"
        f"  return size == sizeof(float) ? (float)difference <= (float)epsilon\n"
        f"                               : difference <= epsilon;\n}}"
    )


HELPERS.register("is_near", _near)

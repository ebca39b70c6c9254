"""The machine that programs of core need in C: what addresses are of, and how deep calls are.

An address is a number that says which piece of memory it is of and where in it, as in
:mod:`relayish.core.interpreter.memory`, of which this is the twin: addresses are the same numbers,
and what is refused there is refused here. ``pieces`` is a hash table by number, probed linearly.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from relayish.codegen.c.helpers import HELPERS, Helper, MakeHelper
from relayish.codegen.c.types import C_TYPES
from relayish.errors import (
    EvaluationError,
    LifetimeError,
    OutOfBoundsError,
    RelayishError,
    UninitialisedReadError,
)

Key: TypeAlias = tuple[str, str]
"""What a helper does, and for which element type."""

MACHINE: Final[Key] = ("machine", "piece")
"""The key of the helper that all others need."""


class Reason(NamedTuple):
    """Why memory at an address is not accessed: the error, and what was found."""

    kind: type[RelayishError]
    found: str


REASONS: Final = (
    Reason(OutOfBoundsError, "memory at a null pointer is accessed"),
    Reason(EvaluationError, "memory at the address of a function is accessed"),
    Reason(
        LifetimeError, "memory is accessed that was a variable of a function which has been left"
    ),
    Reason(EvaluationError, "memory is accessed at what is no address of anything"),
    Reason(OutOfBoundsError, "bytes beyond the memory of a variable are accessed"),
    Reason(EvaluationError, "a constant would be written"),
    Reason(UninitialisedReadError, "memory is read before anything was stored there"),
)
"""By the number that accesses give where they fail, from 1 on."""

_MACHINE: Final = """\
/* The bytes of an array or a structure. Without data these are zeros; marks tell which hold
   something, and without marks all do. */
struct value { const uint8_t *data; const uint8_t *held; };

/* Memory that addresses may be of. */
struct piece { uint8_t *data; uint8_t *held; int64_t size; uint32_t number; int32_t kind; };

enum { VARIABLE_PIECE, CONSTANT_PIECE, FUNCTION_PIECE };

/* What is not said in the program: its memory, how deep calls are, and what is outside. */
struct machine {
  struct piece *pieces;
  uint32_t room, used, last;
  int32_t depth;
  uintptr_t lowest, stack;
  double mark;
  void *context;
  int32_t (*call)(void *context, int32_t which, const void *const *given, void *result,
                  uint8_t *held);
};

static inline uint64_t address_piece(uint32_t number)
{
  return ((uint64_t)number << 36) + (UINT64_C(1) << 35);
}

static inline struct piece *find_piece(const struct machine *machine, uint64_t address)
{
  const uint32_t number = (uint32_t)(address >> 36), mask = machine->room - 1;
  if (!number || !machine->room) return NULL;
  for (uint32_t at = number & mask; machine->pieces[at].number; at = (at + 1) & mask)
    if (machine->pieces[at].number == number) return &machine->pieces[at];
  return NULL;
}"""

_ENTER: Final = """\
static void insert_piece(struct piece *pieces, uint32_t room, struct piece made)
{
  uint32_t at = made.number & (room - 1);
  while (pieces[at].number) at = (at + 1) & (room - 1);
  pieces[at] = made;
}

/* Return the address of memory that is had from now on; 0: there is no room to note it. */
static uint64_t enter_piece(struct machine *machine, void *data, uint8_t *held, int64_t size,
                            int32_t kind)
{
  if (machine->used >= machine->room / 2) {
    const uint32_t room = machine->room ? 2 * machine->room : 64;
    struct piece *pieces = room > machine->room ? calloc(room, sizeof *pieces) : NULL;
    if (!pieces) return 0;
    for (uint32_t at = 0; at < machine->room; ++at)
      if (machine->pieces[at].number) insert_piece(pieces, room, machine->pieces[at]);
    free(machine->pieces);
    machine->pieces = pieces;
    machine->room = room;
  }
  if (machine->last >= (UINT32_C(1) << 28) - 1) return 0;
  const struct piece made = {data, held, size, ++machine->last, kind};
  insert_piece(machine->pieces, machine->room, made);
  ++machine->used;
  return address_piece(made.number);
}"""

_LEAVE: Final = """\
/* End the life of memory; what stands behind it in the table moves up, so that it is found. */
static void leave_piece(struct machine *machine, uint64_t address)
{
  struct piece *const found = find_piece(machine, address);
  if (!found) return;
  struct piece *const pieces = machine->pieces;
  const uint32_t mask = machine->room - 1;
  uint32_t gap = (uint32_t)(found - pieces);
  for (uint32_t at = (gap + 1) & mask; pieces[at].number; at = (at + 1) & mask) {
    if (((at - pieces[at].number) & mask) < ((at - gap) & mask)) continue;
    pieces[gap] = pieces[at];
    gap = at;
  }
  pieces[gap].number = 0;
  --machine->used;
}"""

_ONCE: Final = """\
/* Return the address of what has one from the first question on. */
static uint64_t once_piece(struct machine *machine, uint64_t *address, const void *data,
                           int64_t size, int32_t kind)
{
  if (!*address) *address = enter_piece(machine, (void *)(uintptr_t)data, NULL, size, kind);
  return *address;
}"""

_REACH: Final = """\
/* Find the memory that an address is of; what is returned says why there is none. */
static inline int32_t reach_piece(const struct machine *machine, uint64_t address,
                                  struct piece **found)
{
  struct piece *const piece = find_piece(machine, address);
  if (piece && piece->kind != FUNCTION_PIECE) {
    *found = piece;
    return 0;
  }
  const uint32_t number = (uint32_t)(address >> 36);
  return !number ? 1 : piece ? 2 : number <= machine->last ? 3 : 4;
}

static inline int64_t offset_piece(uint64_t address)
{
  return (int64_t)(address & ((UINT64_C(1) << 36) - 1)) - (INT64_C(1) << 35);
}

static inline bool is_unset_piece(const uint8_t *held, int64_t size)
{
  if (held)
    for (int64_t at = 0; at < size; ++at)
      if (!held[at]) return true;
  return false;
}"""

_FUNCTION: Final = """\
/* Return which function an address is of; -1: it is of none. */
static int32_t function_piece(const struct machine *machine, uint64_t address)
{
  const struct piece *const piece = find_piece(machine, address);
  const bool is_one = piece && piece->kind == FUNCTION_PIECE && !offset_piece(address);
  return is_one ? (int32_t)piece->size : -1;
}"""

_POINTER: Final = """\
/* Return where in memory an address is, for functions of C; NULL: nowhere. */
static void *pointer_piece(const struct machine *machine, uint64_t address)
{
  struct piece *piece;
  if (reach_piece(machine, address, &piece)) return NULL;
  const int64_t at = offset_piece(address);
  return at < 0 || at > piece->size ? NULL : piece->data + at;
}"""

_PUT: Final = """\
static void put_piece(void *data, uint8_t *held, struct value value, int64_t size)
{
  if (value.data) memmove(data, value.data, (size_t)size);
  else memset(data, 0, (size_t)size);
  if (held && value.held) memmove(held, value.held, (size_t)size);
  else if (held) memset(held, 1, (size_t)size);
}"""

_READ_PIECE: Final = """\
static int32_t read_piece(const struct machine *machine, uint64_t address, int64_t size,
                          struct value *found)
{
  struct piece *piece;
  const int32_t failed = reach_piece(machine, address, &piece);
  if (failed) return failed;
  const int64_t at = offset_piece(address);
  if (at < 0 || at > piece->size - size) return 5;
  found->data = piece->data + at;
  found->held = piece->held ? piece->held + at : NULL;
  return 0;
}"""

_WRITE_PIECE: Final = """\
static int32_t write_piece(const struct machine *machine, uint64_t address, int64_t size,
                           struct value value)
{
  struct piece *piece;
  const int32_t failed = reach_piece(machine, address, &piece);
  if (failed) return failed;
  const int64_t at = offset_piece(address);
  if (at < 0 || at > piece->size - size) return 5;
  if (piece->kind == CONSTANT_PIECE) return 6;
  put_piece(piece->data + at, piece->held ? piece->held + at : NULL, value, size);
  return 0;
}"""

_READABLE: Final = """\
/* Return why some elements at an address are not to be read. */
static int32_t readable_piece(const struct machine *machine, uint64_t address, int64_t count,
                              int64_t size)
{
  struct piece *piece;
  const int32_t failed = reach_piece(machine, address, &piece);
  if (failed) return failed;
  int64_t at = offset_piece(address);
  for (; count > 0; --count, at += size) {
    if (at < 0 || at > piece->size - size) return 5;
    if (piece->held && is_unset_piece(piece->held + at, size)) return 7;
  }
  return 0;
}"""

_TOO_DEEP: Final = """\
/* Note a call, and return whether calls are too deep: they have used the stack that they may. */
static inline bool is_too_deep_piece(struct machine *machine)
{
#if defined(__GNUC__)
  const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
#else
  const char place = 0;
  const uintptr_t here = (uintptr_t)&place;
#endif
  if (machine->depth++ == 0)
    machine->lowest = here > machine->stack ? here - machine->stack : 0;
  return here < machine->lowest || machine->depth == INT32_MAX;
}"""

_PEEK: Final = """\
static inline $T peek_$E(const void *data)
{
  $S value;
  memcpy(&value, data, sizeof value);
  return $L;
}"""

_POKE: Final = """\
static inline void poke_$E(void *data, $T given)
{
  const $S value = $P;
  memcpy(data, &value, sizeof value);
}"""

_READ: Final = """\
static inline int32_t read_$E(const struct machine *machine, uint64_t address, $T *found)
{
  struct piece *piece;
  const int32_t failed = reach_piece(machine, address, &piece);
  if (failed) return failed;
  const int64_t at = offset_piece(address);
  if (at < 0 || at > piece->size - (int64_t)sizeof($S)) return 5;
  if (piece->held && is_unset_piece(piece->held + at, sizeof($S))) return 7;
  *found = peek_$E(piece->data + at);
  return 0;
}"""

_WRITE: Final = """\
static inline int32_t write_$E(const struct machine *machine, uint64_t address, $T value)
{
  struct piece *piece;
  const int32_t failed = reach_piece(machine, address, &piece);
  if (failed) return failed;
  const int64_t at = offset_piece(address);
  if (at < 0 || at > piece->size - (int64_t)sizeof($S)) return 5;
  if (piece->kind == CONSTANT_PIECE) return 6;
  poke_$E(piece->data + at, value);
  if (piece->held) memset(piece->held + at, 1, sizeof($S));
  return 0;
}"""


def memory_type(element: str) -> str:
    """Return the type of C of an element in memory; a truth value is a byte, zero or not."""
    return "uint8_t" if element == "bool" else C_TYPES[element].storage


def _of_scalars(template: str, *needs: Key) -> MakeHelper:
    """Return what makes a helper of a text for an element type."""

    def make(element: str) -> Helper:
        held = C_TYPES[element]
        load, store = "value", "given"
        if element == "bool":
            load = "value != 0"
        elif held.is_packed:
            load, store = f"load_{element}(value)", f"store_{element}(given)"
        text = template.replace("$L", load).replace("$P", store)
        text = text.replace("$S", memory_type(element)).replace("$T", held.value)
        packed = [(does, element) for does in ("load", "store") if f"{does}_" in text]
        made = [(does, of or element) for does, of in needs]
        return Helper(text.replace("$E", element), (*made, *packed))

    return make


def _accessing(template: str, does: str, of_bytes: Helper) -> MakeHelper:
    """Return what makes a helper for elements, and for the bytes of arrays and structures."""
    of_scalars = _of_scalars(template, REACH, (does, ""))
    return lambda element: of_bytes if element == "piece" else of_scalars(element)


REACH: Final = ("reach", "piece")

for _does, _helper in {
    "machine": Helper(_MACHINE),
    "enter": Helper(_ENTER, (MACHINE,)),
    "leave": Helper(_LEAVE, (MACHINE,)),
    "once": Helper(_ONCE, (("enter", "piece"),)),
    "reach": Helper(_REACH, (MACHINE,)),
    "function": Helper(_FUNCTION, (REACH,)),
    "pointer": Helper(_POINTER, (REACH,)),
    "put": Helper(_PUT, (MACHINE,)),
    "readable": Helper(_READABLE, (REACH,)),
    "is_too_deep": Helper(_TOO_DEEP, (MACHINE,)),
}.items():
    HELPERS.register(_does, lambda _, made=_helper: made)  # type: ignore[misc]  # a default binds

HELPERS.register("peek", _of_scalars(_PEEK))
HELPERS.register("poke", _of_scalars(_POKE))
HELPERS.register("read", _accessing(_READ, "peek", Helper(_READ_PIECE, (REACH,))))
HELPERS.register(
    "write", _accessing(_WRITE, "poke", Helper(_WRITE_PIECE, (REACH, ("put", "piece"))))
)


def _ashr(element: str) -> Helper:
    signed = f"int{C_TYPES[element].value.strip('uint_')}_t"
    held = C_TYPES[element].value
    head = f"static inline {held} ashr_{element}({held} a, {held} b)"
    return Helper(f"{head}\n{{\n  return ({held})(({signed})a >> b);\n}}")


HELPERS.register("ashr", _ashr)

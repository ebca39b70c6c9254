"""Functions that calls name: what each is given, gives, may do, and how numpy computes it.

The table is open: :func:`register_extern`. Verifier, analyses and interpreter ask it; of a function
that is not in it nothing is known, so it may do anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, Final, NamedTuple, TypeAlias

from relayish.errors import DeclarationError
from relayish.ir.fields.effect import Effect
from relayish.ir.nodes.node import Node
from relayish.ir.registration.claimed_table import ClaimedTable
from relayish.tir.ir.expr import Call
from relayish.tir.ir.flags import CallType
from relayish.tir.ir.type import Type, bool_like

TypeRule: TypeAlias = Callable[[Sequence[Type]], "Type | None"]
"""The type of the value, from those of the arguments read; ``None`` where these cannot be."""

Evaluate: TypeAlias = Callable[
    ..., Any
]  # Any: numpy arrays or scalars in, one or a tuple of them out


def same_floats(given: Sequence[Type]) -> Type | None:
    """Return the type of all arguments, which is one of floats."""
    found = same_numbers(given)
    return found if found is not None and found.is_float else None


def same_integers(given: Sequence[Type]) -> Type | None:
    """Return the type of all arguments, which is one of integers."""
    found = same_numbers(given)
    return found if found is not None and found.is_integer else None


def same_numbers(given: Sequence[Type]) -> Type | None:
    """Return the type of all arguments, which is one of numbers and not of truth values."""
    first = given[0]
    same = first.is_numeric and not first.is_bool and all(other == first for other in given)
    return first if same else None


def truth_of_number(given: Sequence[Type]) -> Type | None:
    """Return the type of truth values with the lanes of the argument, a number."""
    found = same_numbers(given)
    return None if found is None else bool_like(found)


def nothing(given: Sequence[Type]) -> Type | None:  # noqa: ARG001 - as of all rules
    """Return the type of what gives no value, whatever it is given."""
    return Type("void")


class Extern(NamedTuple):
    """A function that calls name.

    Attributes:
        name: What calls name.
        call_type: The kind of these calls.
        evaluate: Its value, by numpy: of the arguments read, then, as arrays to be filled, of those
            written. Several results are a tuple.
        arity: How many arguments it reads; ``None``: any number.
        writes: How many arguments it writes.
        type_rule: The type of its value.
        effect: What it does beside reading and writing its arguments.
        is_elementwise: Whether an element of its value depends on those at its place alone.
        operations: How many operations an element counts as.
        is_barrier: Whether it does nothing but let the threads of a block wait for each other.
    """

    name: str
    call_type: CallType
    evaluate: Evaluate
    arity: int | None = 1
    writes: int = 0
    type_rule: TypeRule = same_floats
    effect: Effect = Effect.NONE
    is_elementwise: bool = True
    operations: int = 1
    is_barrier: bool = False

    @property
    def is_pure(self) -> bool:
        """Whether a call does nothing but give a value."""
        return self.effect is Effect.NONE and not self.writes


_EXTERNS: Final[ClaimedTable[tuple[CallType, str], Extern]] = ClaimedTable(
    lambda key: f"the {key[0].value} function {key[1]!r}"
)


def register_extern(
    name: str,
    evaluate: Evaluate,
    *,
    arity: int | None = 1,
    writes: int = 0,
    type_rule: TypeRule = same_floats,
    effect: Effect = Effect.NONE,
    call_type: CallType = CallType.EXTERN,
    is_elementwise: bool = True,
    operations: int = 1,
    is_barrier: bool = False,
    replace: bool = False,
) -> None:
    """Say what the function is that calls of a kind name ``name``.

    Args:
        name: What the calls name.
        evaluate: Its value by numpy, of scalars and of arrays of the operands' element types; the
            result has the element type that ``type_rule`` says. Arguments that it writes come
            last, as arrays to be filled.
        arity: How many arguments it reads; ``None``: any number.
        writes: How many it writes.
        type_rule: The type of its value from those of the arguments read, ``None`` where these
            cannot be.
        effect: What it does beside reading and writing its arguments.
        call_type: The kind of the calls; those of ``CINN`` name functions of the module.
        is_elementwise: Whether an element of the value depends on those at its place alone.
        operations: How many operations an element counts as where work is counted.
        is_barrier: Whether it does nothing but let the threads of a block wait for each other;
            then no loop depends on it, and no pass moves it.
        replace: Take the place of whatever function there is.

    Raises:
        DeclarationError: If calls of that kind name functions of the module.
        DuplicateNameError: If somebody else said so and ``replace`` is false.
    """
    if call_type is CallType.CINN:
        raise DeclarationError(
            f"calls of type CINN name functions of the module; {name!r} cannot be registered, but "
            f"a function of that name can be in the module"
        )
    told = (arity, writes, type_rule, effect, is_elementwise, operations, is_barrier)
    _EXTERNS.register(
        (call_type, name),
        Extern(name, call_type, evaluate, *told),
        replace=replace,
        by=evaluate if isinstance(evaluate, FunctionType) else (),  # numpy's tell nothing of whom
    )


def find_extern(name: str, call_type: CallType = CallType.EXTERN) -> Extern | None:
    """Return the function that calls of a kind name so, if it is known.

    Example:
        >>> find_extern("sqrt").is_pure, find_extern("launch_rocket")
        (True, None)
    """
    return _EXTERNS.get((call_type, name))


def is_barrier(node: Node) -> bool:
    """Return whether ``node`` is a call that lets the threads of a block wait for each other."""
    if not isinstance(node, Call):
        return False
    known = find_extern(node.name, node.call_type)
    return known is not None and known.is_barrier


def extern_names() -> list[tuple[CallType, str]]:
    """Return the kinds and names of all functions that are known, sorted."""
    return sorted(_EXTERNS, key=lambda key: (key[0].value, key[1]))


register_extern(
    "cuda_sync_threads",
    lambda: None,
    arity=0,
    type_rule=nothing,
    effect=Effect.UNKNOWN,
    call_type=CallType.INTRINSIC,
    is_barrier=True,
)

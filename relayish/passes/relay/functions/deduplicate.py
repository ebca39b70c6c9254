"""Put what a program does in several places into one function.

Before::

    %0 = add(multiply(%x, %a), 1f);
    %1 = tanh(%0);
    %2 = add(multiply(%1, %b), 1f);
    subtract(%2, %x)

After::

    def @deduplicated_1(%p0, %p1) { add(multiply(%p0, %p1), 1f) }

    %0 = tanh(@deduplicated_1(%x, %a));
    subtract(@deduplicated_1(%0, %b), %x)
"""

from __future__ import annotations

from itertools import count
from typing import Final

from relayish._support.collector import pause_collection
from relayish.analysis.effectful import find_effectful_nodes
from relayish.analysis.infer_type import infer_type
from relayish.errors import PassError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.equality.structural_hash import structural_hash
from relayish.ir.relay.expr import Expr, Function, GlobalVar, Tuple
from relayish.ir.relay.function_attributes import is_opaque
from relayish.ir.relay.global_var_supply import GlobalVarSupply
from relayish.ir.relay.module import IRModule
from relayish.pass_infra import is_skipped, register_pass
from relayish.passes.relay.functions.deduplication.growth import grow
from relayish.passes.relay.functions.deduplication.labels import Labels
from relayish.passes.relay.functions.deduplication.outline import call_outlines, outlines
from relayish.passes.relay.functions.deduplication.units import Units
from relayish.passes.relay.normal_form.to_graph_normal_form import to_graph_normal_form_of_module

_STEM: Final = "deduplicated_"
_MASK: Final = 0xFFFFFFFFFFFFFFFF


@register_pass("Deduplicate", opt_level=0, infer_types=True, idempotent=True)
def deduplicate(
    mod: IRModule,
    *,
    forward_steps: int = 1,
    consider_type: bool = True,
    must_dominate: bool = False,
    salt: str = "",
) -> IRModule:
    """Outlining of repeated code: put what occurs in several places into one function.

    Return ``mod`` with what several places compute alike in functions that these call.

    A part is made of tuples, projections, and calls of operators and of functions of the module. It
    repeats where operators, attributes and the way they are connected are the same; what its
    operands are makes no difference. It grows from its results backwards, by whole layers, as long
    as it repeats, and becomes a function ``@deduplicated_<hash>`` of the module if it makes more
    than one call and the program gets no longer. What differs from place to place are the
    parameters; constants that are the same everywhere stay inside. Then all is looked at again, the
    functions made and the calls of them as well, until nothing repeats: a block of which a piece
    occurs elsewhere becomes a function that calls that of the piece. Repetitions in a row, as the
    layers of a network, stay calls in a row.

    Parts are looked for in all functions of the module, with those inside, each in graph normal
    form; a function in which none is found stays as it is. Left where they are: what has effects or
    depends on some, operators that mark a place, functions that are primitive or that passes leave
    alone. No part reaches over a branch, an arm or a function, so that nothing is computed that
    was not before.

    Args:
        mod: A typed module, see :func:`~relayish.analysis.infer_type`.
        forward_steps: How often a part may go on forwards, from a value that is used in several
            places to the one of them that comes next. The value then is a further result.
        consider_type: Only what is of the same types is alike. Otherwise parts grow over places of
            all types, so that they begin and end alike, and each combination of types that
            repeats has a function of its own: one function cannot serve several.
        must_dominate: A part has one result, and leads to it in all of its ways: nothing else of
            it is used outside. There are no steps forward then.
        salt: Put into names, to tell functions of this run from those of others: letters, digits,
            ``_``.

    Returns:
        ``mod`` itself when nothing repeats.

    Raises:
        PassError: If ``forward_steps`` is negative, or ``salt`` no part of a name.

    Complexity:
        Linear in distinct nodes for each round of growing; the rounds are about as many as the
        logarithm of the size of what repeats. No recursion.

    Source:
        RAF ``Deduplicate``.
    """
    if forward_steps < 0:
        raise PassError(f"forward_steps is a number of steps, from 0; found {forward_steps}")
    if salt and not f"_{salt}".isidentifier():
        raise PassError(
            f"salt becomes part of names of functions; found {salt!r}, expected letters, digits "
            f"and underscores"
        )
    stem = f"{_STEM}{salt}_" if salt else _STEM
    steps = 0 if must_dominate else forward_steps
    while True:
        with pause_collection():  # units live until no more can be outlined of them
            image = _outline(mod, stem, steps, consider_type=consider_type)
            if image is mod and not consider_type:
                image = _outline(mod, stem, steps, consider_type=True)  # what is left
        if image is mod:
            return mod
        mod = infer_type(image)


def _outline(mod: IRModule, stem: str, steps: int, *, consider_type: bool) -> IRModule:
    """Return ``mod`` with what repeats outlined once."""
    graphs = to_graph_normal_form_of_module(mod)
    normal = infer_type(graphs)
    named = {name: func for name, func in normal.functions_of(Function).items() if _is_open(func)}
    root = Tuple(tuple(named.values()))
    effectful = find_effectful_nodes(root, normal)
    units = Units(root, Labels(effectful, consider_type=consider_type))
    grow(units, steps)
    found = outlines(units)
    if not found:
        return mod
    names = _Names(mod, stem)
    made = [(outline, names.name(outline.function)) for outline in found]
    image = call_outlines(units, made, root)
    assert isinstance(image, Tuple)
    changed: dict[GlobalVar | str, Expr] = {}
    changed.update(names.added.items())
    for (name, before), after in zip(named.items(), image.fields, strict=True):
        if after is not before and name not in names.met:
            changed[name] = after
    return mod.with_functions(changed)


def _is_open(definition: Function) -> bool:
    return not is_skipped(definition) and not is_opaque(definition)


class _Names:
    """Gives functions names that depend on nothing but what they do."""

    def __init__(self, mod: IRModule, stem: str) -> None:
        self._mod = mod
        self._supply = GlobalVarSupply(mod)
        self._stem = stem
        self.added: dict[GlobalVar, Function] = {}
        self.met: set[GlobalVar] = set()
        """Functions of the module that are what was outlined: they are not to call themselves."""

    def name(self, function: Function) -> GlobalVar:
        """Return the name of ``function``, that of an equal one if there is one."""
        first = f"{self._stem}{structural_hash(function) & _MASK}"
        for number in count():
            text = f"{first}_{number}" if number else first
            name = self._supply.unique_global_for(text, add_prefix=False)
            if name in self._mod:
                if structural_equal(self._mod[name], function):
                    self.met.add(name)
                    return name
            elif structural_equal(self.added.setdefault(name, function), function):
                return name
        raise AssertionError("unreachable: numbers do not end")

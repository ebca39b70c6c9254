"""Cut what patterns describe out of functions, as composite functions with a name.

Before::

    %0 = nn.conv2d(%data, %weight);
    nn.relu(%0)

After, with the table ``[("conv_relu", is_op("nn.relu")(is_op("nn.conv2d")(...)))]``::

    %1 = fn (%p, %q, Composite="conv_relu", PartitionedFromPattern="nn.conv2d_nn.relu_") {
      %0 = nn.conv2d(%p, %q);
      nn.relu(%0)
    };
    %1(%data, %weight)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final
from weakref import WeakKeyDictionary

from relayish.analysis.infer_type import infer_type
from relayish.dataflow_pattern.partition import partition, read_entry
from relayish.dataflow_pattern.pattern import DFPattern
from relayish.dataflow_pattern.pattern_analysis import Analysed
from relayish.ir.relay.expr import Function
from relayish.ir.relay.function_attributes import COMPOSITE
from relayish.ir.relay.module import IRModule
from relayish.pass_infra import register_pass


@register_pass("MergeComposite", opt_level=0, infer_types=True)
def merge_composite(
    func: Function,
    *,
    pattern_table: Sequence[tuple[Any, ...]],  # Any: see below
    mod: IRModule | None = None,
) -> Function:
    """Pattern outlining: cut what patterns describe out of functions, as composite functions.

    Return ``func`` with what matches each pattern, in turn, called as a composite function.

    Args:
        func: A function.
        pattern_table: Tuples of a name, a pattern and, if wanted, a function of an expression that
            says whether a match counts; those in front are cut out first.
        mod: The module it belongs to.

    Returns:
        ``func`` itself when nothing matched.

    Raises:
        PassError: If an entry of the table is not of that form.

    Complexity:
        One walk for each pattern, and type inference behind each that matched; no recursion.

    Source:
        Relay ``MergeComposite``.

    Example:
        >>> from relayish.dataflow_pattern import is_op, wildcard
        >>> from relayish.text import parse
        >>> from relayish.transform import MergeComposite
        >>> mod = parse('''#[version = "0.0.5"]
        ... def @main(%x: Tensor[(2, 2), float32], %y: Tensor[(2, 2), float32]) {
        ...   tanh(nn.relu(add(%x, %y)))
        ... }''')
        >>> add_relu = is_op("nn.relu")(is_op("add")(wildcard(), wildcard()))
        >>> out = MergeComposite([("add_relu", add_relu)])(mod)
        >>> dict(out["main"].body.args[0].op.attrs.items())
        {'PartitionedFromPattern': 'add_nn.relu_', 'Composite': 'add_relu'}
    """
    is_typed = func.checked_type is not None
    image = func
    for name, pattern, check in map(read_entry, pattern_table):
        if is_typed and image.checked_type is None:
            image = infer_type(image, mod)  # checks may ask for types
        body = partition(_analyse(pattern, mod), image.body, {COMPOSITE: name}, check, mod)
        if body is not image.body:
            image = image.with_fields(body=body)
    return image


_ANALYSED: Final[WeakKeyDictionary[IRModule, dict[DFPattern, Analysed]]] = WeakKeyDictionary()
"""The patterns that functions of a module were searched for."""


def _analyse(pattern: DFPattern, mod: IRModule | None) -> Analysed:
    """Return the analysis of a pattern, done once for all functions of a module."""
    known = {} if mod is None else _ANALYSED.setdefault(mod, {})
    found = known.get(pattern)
    if found is None or not found.is_current():
        found = known[pattern] = Analysed(pattern)
    return found

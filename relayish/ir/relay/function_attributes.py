"""Function attributes: what they are called, and what they say of a function."""

from __future__ import annotations

from typing import Final

from relayish.ir.relay.expr import Function

COMPILER: Final = "Compiler"
"""The name of the compiler that owns the function; others leave the body alone."""
COMPOSITE: Final = "Composite"
"""The name of the pattern by which the function was cut out."""
PRIMITIVE: Final = "Primitive"
"""Whether the function stands for one operator; 0 for fused functions that compute nothing."""
EXTERN: Final = "Extern"
"""Whether the definition of the function is elsewhere."""
INLINE: Final = "Inline"
"""Whether the function is to be called in place."""
CLOSURE: Final = "Closure"
"""Whether the function takes what another captured, and returns it."""
SKIP_OPTIMIZATION: Final = "SkipOptimization"
"""Whether passes over functions leave the function alone."""
GLOBAL_SYMBOL: Final = "global_symbol"
"""The name under which the function is global, or is to be."""
RESHAPE_ONLY: Final = "relay.reshape_only"
"""Whether a fused function does nothing but give a tensor another shape."""


def has_attribute(node: object, name: str) -> bool:
    """Return whether ``node`` is a function with an attribute ``name``, of any value."""
    return isinstance(node, Function) and node.attrs is not None and name in node.attrs


def find_attribute(node: object, name: str) -> str | None:
    """Return the text that is the attribute ``name`` of a function; ``None`` without one."""
    if not isinstance(node, Function) or node.attrs is None:
        return None
    found = node.attrs.get(name)
    return found if isinstance(found, str) else None


def is_marked(node: object, name: str) -> bool:
    """Return whether ``node`` is a function whose attribute ``name`` is set, and not to 0.

    Example:
        >>> from relayish.ir.attributes.dictionary import DictAttrs
        >>> from relayish.ir.relay.expr import Tuple
        >>> is_marked(Function((), Tuple(()), attrs=DictAttrs({"Inline": 1})), INLINE)
        True
    """
    if not isinstance(node, Function) or node.attrs is None:
        return False
    return bool(node.attrs.get(name, 0))


def is_primitive(node: object) -> bool:
    """Return whether ``node`` is a function that stands for one operator: a kernel's business."""
    return is_marked(node, PRIMITIVE)


def is_fused(node: object) -> bool:
    """Return whether ``node`` is a function that was fused, or is another compiler's business.

    Those that only arrange tuples are fused as well, though their ``Primitive`` is 0.
    """
    if not isinstance(node, Function) or node.attrs is None:
        return False
    return PRIMITIVE in node.attrs or COMPILER in node.attrs


def is_composite(node: object) -> bool:
    """Return whether ``node`` is a function that a pattern cut out."""
    return has_attribute(node, COMPOSITE)


def is_closure(node: object) -> bool:
    """Return whether ``node`` is a function that returns another with what that captured."""
    return is_marked(node, CLOSURE)


def has_compiler(node: object) -> bool:
    """Return whether ``node`` is a function that another compiler owns."""
    return has_attribute(node, COMPILER)


def is_transparent(node: object) -> bool:
    """Return whether ``node`` may be looked into: it is not the body of a primitive function.

    To be given as ``enter`` to traversals and scopes.
    """
    return type(node) is not Function or node.attrs is None or not is_primitive(node)


def is_opaque(function: Function) -> bool:
    """Return whether the body of ``function`` must not be optimised.

    Another compiler owns it (``Compiler``), its definition is elsewhere (``Extern``), or it stands
    for one operator (``Primitive``).
    """
    if function.attrs is None:
        return False
    return has_compiler(function) or is_marked(function, EXTERN) or is_primitive(function)


def is_skipped(function: Function) -> bool:
    """Return whether function passes leave ``function`` alone."""
    if function.attrs is None:
        return False
    skipped = is_marked(function, SKIP_OPTIMIZATION) or is_marked(function, EXTERN)
    return skipped or has_compiler(function)


def compiler_of_function(node: object) -> str | None:
    """Return the name of the compiler that owns a function; ``None`` if none does."""
    return find_attribute(node, COMPILER)

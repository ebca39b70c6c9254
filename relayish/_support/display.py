"""Display: what a cell of a notebook shows of an object, made by code that stands high above it."""

from __future__ import annotations

from relayish._support import hooks


def repr_mimebundle(
    thing: object,
    include: object = None,  # noqa: ARG001 - whoever asks chooses
    exclude: object = None,  # noqa: ARG001 - likewise
) -> dict[str, str]:
    """Return what a notebook shows of ``thing``, by type: text, and mostly HTML.

    A class has it as its ``_repr_mimebundle_``; what is shown of the class is registered in
    :data:`relayish.draw.notebook.table.SHOWN`.
    """
    return hooks.display(thing)

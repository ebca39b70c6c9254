"""The method of a pass class that does what a function does."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from relayish.errors import DeclarationError


def applied(
    function: Callable[..., Any], cls: type, around: tuple[str, ...]
) -> Callable[..., Any]:  # Any: what a pass transforms, and what becomes of it
    """Return the method that calls ``function`` on what it is given to transform.

    Args:
        function: Its first parameter is what is transformed; to the others go the fields of the
            pass and what is ``around``, by name.
        cls: The pass class, whose annotated fields are the options of the pass.
        around: What the method is given besides, under the names that ``function`` may ask for.

    Raises:
        DeclarationError: If ``function`` has no parameter for a field.
    """
    parameters = list(inspect.signature(function).parameters)[1:]
    options = [n for n in inspect.get_annotations(cls) if n not in ("info", "takes")]
    for name in options:
        if name not in parameters:
            raise DeclarationError(
                f"pass class {cls.__name__} has a field {name!r}, but {function.__name__}, which "
                f"it applies, has no such parameter; name both alike"
            )
    asked = [name if name in parameters else None for name in around]

    def transform(self: object, subject: object, *given: object) -> object:
        named = {name: getattr(self, name) for name in options}
        named.update({n: each for n, each in zip(asked, given, strict=True) if n is not None})
        return function(subject, **named)

    return transform

"""Drawings: pictures of programs, and of what is known of them, in several forms."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from relayish._support.display import repr_mimebundle
from relayish._support.files import replace_file
from relayish.draw.diagram import Diagram
from relayish.draw.dot import to_dot
from relayish.draw.page.page import make_page
from relayish.draw.parts import put_into_parts
from relayish.draw.readers.table import read
from relayish.draw.svg import Theme, to_svg
from relayish.draw.tree import to_tree
from relayish.errors import DrawingError, suggest


class Drawing:
    """A picture; ``str`` of it is SVG, and a notebook shows it.

    Attributes:
        diagram: Its boxes and edges, for whoever shows them otherwise.
    """

    __slots__ = ("_scopes", "diagram")

    _repr_mimebundle_ = repr_mimebundle

    def __init__(self, diagram: Diagram, *, scopes: bool | None = None) -> None:
        self.diagram = put_into_parts(diagram) if scopes else diagram
        self._scopes = scopes

    def __str__(self) -> str:
        return self.to_svg()

    def __repr__(self) -> str:
        boxes, edges = len(self.diagram.boxes), len(self.diagram.edges)
        return f"<Drawing of {self.diagram.title!r}: {boxes:,} boxes, {edges:,} edges>"

    def to_svg(self, *, theme: Theme = "auto") -> str:
        """Return the picture as SVG that needs nothing else.

        Args:
            theme: ``light``, ``dark``, or whichever the reader's system asks for.
        """
        return to_svg(self.diagram, theme=theme)

    def to_dot(self) -> str:
        """Return the picture in graphviz's language."""
        return to_dot(self.diagram)

    def to_text(self) -> str:
        """Return the picture as a tree of text, for a terminal."""
        return to_tree(self.diagram)

    def to_html(self) -> str:
        """Return a page to work in: search, fold, follow values; one file, without network.

        Where names tell parts of a model, as ``/layer.3/attn/MatMul`` does, they are boxes there.
        """
        return make_page(put_into_parts(self.diagram) if self._scopes is None else self.diagram)

    def save(self, path: str | Path) -> Path:
        """Write the picture into a file whole, or not at all, and return its path.

        Args:
            path: Its suffix says in which form: ``.svg``, ``.dot`` or ``.gv``, ``.html``, ``.txt``.

        Raises:
            DrawingError: If the suffix is none of these.
            OSError: If the file cannot be written.
        """
        return save_form(self, path, _FORMS)


def save_form(picture: object, path: str | Path, forms: Mapping[str, str]) -> Path:
    """Write the form of a picture that a suffix names into a file, whole or not at all.

    Args:
        picture: Has a method for each form.
        path: The file.
        forms: The methods, by suffix.

    Raises:
        DrawingError: If there is no form of that suffix.
        OSError: If the file cannot be written.
    """
    path = Path(path)
    form = forms.get(path.suffix.lower())
    if form is None:
        raise DrawingError(
            f"cannot tell from {path.name!r} in which form to save a picture"
            f"{suggest(path.suffix, forms)}; expected one of {', '.join(forms)}"
        )
    text: str = getattr(picture, form)()
    with replace_file(path) as file:
        file.write(text.encode())
    return path


_FORMS: Final = {
    ".svg": "to_svg",
    ".dot": "to_dot",
    ".gv": "to_dot",
    ".html": "to_html",
    ".htm": "to_html",
    ".txt": "to_text",
}


def draw(
    thing: object,
    *,
    scopes: bool | None = None,
    **options: Any,  # Any: as the reader of its class has them
) -> Drawing:
    """Return a picture of a program, or of what is known of one.

    Expressions, functions, modules of any language, loops, call graphs, flow graphs and results of
    analyses on them, dominator trees, diagrams; other packages add to
    :data:`relayish.draw.READERS`.

    Args:
        thing: What is to be drawn.
        scopes: Whether parts of a model that names tell, as ``/layer.3/attn/MatMul`` does, are
            boxes; by default on the page alone.
        options: Of what reads it: for modules ``only="main"``, ``title="..."``, ``types=False``.

    Raises:
        DrawingError: If nobody knows how to draw it, or there is no such option.

    Complexity:
        Linear in the distinct nodes and edges of a program, but for sorting; no recursion.

    Example:
        >>> from relayish.ir.relay.expr import Tuple, Var
        >>> x = Var("x")
        >>> print(draw(Tuple((x, x))).to_text(), end="")
        expression
        ├─ x
        ├─ result 0(x)
        └─ result 1(x)
    """
    diagram = thing if isinstance(thing, Diagram) else read(thing, **options)
    return Drawing(diagram, scopes=scopes)

"""Traversal: walking and rebuilding nodes of any kind, from their fields, without recursion.

A :class:`Traversal` says which families of nodes are followed. For each node class it generates,
once, the two functions on which every walk of the library stands: ``push`` puts the children of a
node on a stack, ``rebuild`` returns the node with its children replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Final, TypeAlias

from relayish._kernel import loop, plan
from relayish.errors import UnknownKindError
from relayish.ir.fields.field import Field, Shape
from relayish.ir.fields.generate import compile_function, for_each
from relayish.ir.nodes.node import Node

Push: TypeAlias = Callable[[Any, Collection[Node], Callable[[Node], None]], None]  # Any: one kind
"""``push(node, seen, append)``: append the children not in ``seen``, the first child last."""

PushAll: TypeAlias = Callable[
    [Any, Callable[[Node], None], Callable[[Any], None]], None
]  # Any: as above
"""``push(node, append, extend)``: put all children on a stack, the first child last."""

Rebuild: TypeAlias = Callable[[Any, Callable[[Any, Any], Any]], Any]  # Any: one kind of node
"""``rebuild(node, get)``: the node with each child ``c`` replaced by ``get(c, c)``.

Where the fields take any node of a family, images are trusted to be of that family; where a field
takes one kind only, as that of a let takes a variable, the constructor checks.

``retain(node, get)``: the same, of images that have the types of what they replace: what was
inferred of a node is on the new one as well.
"""


Retype: TypeAlias = Callable[[Any, Callable[[Any, Any], Any], Any], Any]  # Any: as above
"""``retype(node, get, inferred)``: what ``rebuild`` returns, with what was inferred of the node.

``carry(node, get, told)``: what ``rebuild`` returns; ``told`` holds by a new node what was inferred
of the old one.
"""


class ByKind(dict[type[Node], Any]):  # Any: what is generated for each kind
    """A table filled on first use of each node class, so later declarations are served too."""

    def __init__(self, generate: Callable[[type[Node]], object]) -> None:
        super().__init__()
        self._generate = generate

    def __missing__(self, kind: type[Node]) -> object:
        made = self[kind] = self._generate(kind)
        return made


class Traversal:
    """The fields to follow when walking: those that hold nodes of the given families.

    ``push`` maps each node class to its function, or to ``None`` when nodes of that class have no
    children in these families; ``rebuild`` has a function for every class.

    Args:
        families: Roots of families of kinds.
        evaluated: Whether what nodes of these families evaluate is followed as well where it is
            of another family: the cases of a switch, say, or the body of a kernel.
    """

    left_out: ClassVar[dict[type[Node], Any] | None] = None  # Any: of no matter
    """Kinds that ``push_all`` leaves out, where the functions it generates do."""

    def __init__(self, *families: type[Node], evaluated: bool = False) -> None:
        self.families = families
        self._evaluated = evaluated
        self.push: Mapping[type[Node], Push | None] = ByKind(self._generate_push)
        self.push_all: Mapping[type[Node], PushAll | None] = ByKind(self._generate_push_all)
        self.rebuild: Mapping[type[Node], Rebuild] = ByKind(self._generate_rebuild)
        self.retain: Mapping[type[Node], Rebuild] = ByKind(self._generate_retain)
        self.retype: Mapping[type[Node], Retype] = ByKind(self._generate_retype)
        self.carry: Mapping[type[Node], Retype] = ByKind(self._generate_carry)

    def fields(self, kind: type[Node]) -> list[Field]:
        """Return the fields of ``kind`` that are followed, in order of declaration."""
        return [
            declared
            for declared in kind.fields_
            if declared.kind is not None and declared.compared and self._follows(declared)
        ]

    def _follows(self, declared: Field) -> bool:
        assert declared.kind is not None
        if issubclass(declared.kind, self.families):
            return True
        return self._evaluated and declared.is_evaluated

    def accepts(self, kind: type[Node]) -> bool:
        """Return whether nodes of class ``kind`` may be met: of its families, or held by these."""
        if issubclass(kind, self.families):
            return True
        held: set[type[Node]] = set()
        pending = [k for family in self.families for k in family.kinds] if self._evaluated else []
        while pending:
            for declared in self.fields(pending.pop()):
                assert declared.kind is not None
                if not issubclass(declared.kind, self.families) and declared.kind not in held:
                    held.add(declared.kind)
                    pending += declared.kind.kinds
        return issubclass(kind, tuple(held))

    def children(self, node: Node) -> list[Node]:
        """Return the children of ``node``, in order of declaration, repetitions included."""
        push = self.push_all[type(node)]
        found: list[Node] = []
        if push is not None:
            push(node, found.append, found.extend)
        return found[::-1]

    @loop("post_order")
    def post_order(
        self,
        root: Node | Sequence[Node],
        enter: Callable[[Node], bool] | None = None,
    ) -> list[Node]:
        """Return every distinct node below and including ``root``, children before parents.

        Args:
            root: A node, or several, which are walked in order.
            enter: Asked once of each node that has children; where it answers no, these are left
                out, unless they are reached otherwise. The node itself is there.

        Complexity:
            Linear in the number of distinct nodes and edges; no recursion.
        """
        order: list[Node] = []
        seen: set[Node] = set()
        stack: list[Node | None] = [*_last_first(root)]
        pop, append, extend = stack.pop, stack.append, stack.extend
        finish, add, table = order.append, seen.add, self.push_all
        while stack:
            node = pop()
            if node is None:
                node = pop()
                assert node is not None
                finish(node)
                continue
            if node in seen:
                continue
            add(node)
            push = table[type(node)]
            if push is None or (enter is not None and not enter(node)):
                finish(node)
                continue
            append(node)
            append(None)
            push(node, append, extend)
        return order

    def order_after(
        self,
        root: Node | Sequence[Node],
        before: Callable[[Node], Sequence[Node] | None],
    ) -> list[Node]:
        """Return distinct nodes, ``root`` last, each after what ``before`` tells of it.

        Args:
            root: A node, or several, which are walked in order.
            before: Asked once of each node for what comes before it; where it answers ``None``,
                its children do. No node may come before itself.

        Complexity:
            Linear in the number of distinct nodes and of what comes before each; no recursion.
        """
        order: list[Node] = []
        seen: set[Node] = set()
        stack: list[Node | None] = [*_last_first(root)]
        pop, finish, add = stack.pop, order.append, seen.add
        while stack:
            node = pop()
            if node is None:
                node = pop()
                assert node is not None
                finish(node)
            elif node not in seen:
                add(node)
                needed = before(node)
                if needed is None:
                    push = self.push_all[type(node)]
                    stack += (node, None)
                    if push is not None:
                        push(node, stack.append, stack.extend)
                elif needed:
                    stack += (node, None)
                    stack += needed[::-1]
                else:
                    finish(node)
        return order

    def users(
        self, root: Node | Sequence[Node], order: Sequence[Node] | None = None
    ) -> dict[Node, list[Node]]:
        """Return the users of each distinct node below ``root`` (use-def edges), once for each use.

        Roots are there with no parents; parents stand in post-order. ``order`` is what
        :meth:`post_order` returns, where that is known already.

        Complexity:
            Linear in the number of distinct nodes and edges; no recursion.
        """
        order = self.post_order(root) if order is None else order
        found: dict[Node, list[Node]] = {node: [] for node in order}
        for node in order:
            for child in self.children(node):
                found[child].append(node)
        return found

    def pre_order(
        self, root: Node | Sequence[Node], enter: Callable[[Node], bool] | None = None
    ) -> Iterator[Node]:
        """Yield every distinct node below and including ``root``, parents before children.

        Args:
            root: A node, or several, which are walked in order.
            enter: Asked once of each node that has children, after it was yielded; where it answers
                no, these are left out, unless they are reached otherwise.
        """
        seen: set[Node] = set()
        stack: list[Node] = [*_last_first(root)]
        pop, append, extend, add = stack.pop, stack.append, stack.extend, seen.add
        table = self.push_all
        while stack:
            node = pop()
            if node in seen:
                continue
            add(node)
            yield node
            push = table[type(node)]
            if push is not None and (enter is None or enter(node)):
                push(node, append, extend)

    def _generate_push(self, kind: type[Node]) -> Push | None:
        followed = self.fields(kind)

        def generate() -> Push:
            lines = list[str]()
            for declared in reversed(followed):
                lines += for_each(declared, ["if child not in seen: append(child)"], backwards=True)
            made: Push = compile_function("push(node, seen, append)", lines, {"Node": Node})
            return made

        return self._plan("push", kind, generate) if followed else None

    def _generate_push_all(self, kind: type[Node]) -> PushAll | None:
        followed = self.fields(kind)

        def generate() -> PushAll:
            lines = [_PUSH_ALL[f.shape].format(name=f.name) for f in reversed(followed)]
            scope = {"Node": Node}
            made: PushAll = compile_function("push_all(node, append, extend)", lines, scope)
            return made

        return self._plan("push_all", kind, generate) if followed else None

    def _generate_rebuild(self, kind: type[Node]) -> Rebuild:
        if not self.fields(kind):
            return _keep
        generate = partial(self._generate, kind, "rebuild(node, get)", None)
        made: Rebuild = self._plan("rebuild", kind, generate)
        return made

    def _generate_retain(self, kind: type[Node]) -> Rebuild:
        inferred = [f.name for f in kind.fields_ if f.inferred]
        if not inferred or not self.fields(kind):
            return self.rebuild[kind]
        lines = [f"return retype(node, get, node.{inferred[0]})"]
        made: Rebuild = compile_function("retain(node, get)", lines, {"retype": self.retype[kind]})
        return made

    def _generate_retype(self, kind: type[Node]) -> Retype:
        generate = partial(self._generate, kind, "retype(node, get, inferred)", "inferred")
        made: Retype = self._plan("retype", kind, generate)
        return made

    def _generate_carry(self, kind: type[Node]) -> Retype:
        generate = partial(self._generate, kind, "carry(node, get, told)", None, told=True)
        made: Retype = self._plan("carry", kind, generate)
        return made

    def _plan(
        self, form: str, kind: type[Node], generate: Callable[[], Any], empty: Sequence[str] = ()
    ) -> Any:  # Any: as the form says
        """Return the function of ``generate``, or what the compiled core has in its place.

        That is for nodes whose fields of the names ``empty`` hold ``None``, as most do.
        """
        followed = self.fields(kind)
        told: object = self._maker(kind)
        if form in ("push", "push_all"):
            fields = [(f.name, f.shape.value, False) for f in followed]
            fields += [(name, "empty", False) for name in empty]
            told = self.left_out if form == "push_all" else None
        else:
            shape_of = {f: f.shape.value for f in followed} | {
                f: "inferred" for f in kind.fields_ if f.inferred
            }
            fields = [(f.name, shape_of.get(f, "kept"), False) for f in kind.fields_]
        return plan(form, kind, Node, fields, told, generate)

    def _maker(self, kind: type[Node]) -> Callable[..., Any]:  # Any: a node of the kind
        """Return what makes nodes of ``kind``, which checks what this traversal does not know."""
        trusted = all(f.kind in self.families for f in self.fields(kind))
        return kind._make if trusted else kind

    def _generate(
        self, kind: type[Node], signature: str, inferred: str | None, *, told: bool = False
    ) -> Any:  # Any: as the signature says
        """Generate the function that rebuilds a node, or returns it where nothing changes.

        What was inferred of a node is ``inferred`` from then on, or is cleared on a new one.
        """
        followed = self.fields(kind)
        lines: list[str] = []
        for index, declared in enumerate(followed):
            old, new = f"old{index}", f"new{index}"
            lines.append(f"{old} = {new} = node.{declared.name}")
            if declared.shape is Shape.ONE:
                lines[-1] = f"{old} = node.{declared.name}; {new} = get({old}, {old})"
            elif declared.shape is Shape.OPTIONAL:
                lines.append(f"if {old} is not None: {new} = get({old}, {old})")
            else:
                lines += [line.format(old=old, new=new) for line in _REBUILD_MANY]
        kept = [f"new{i} is old{i}" for i in range(len(followed))]
        if inferred is not None:
            kept += [f"node.{f.name} is {inferred}" for f in kind.fields_ if f.inferred]
        replaced = {declared.name: f"new{i}" for i, declared in enumerate(followed)}
        values = [
            str(inferred) if f.inferred else replaced.get(f.name, f"node.{f.name}")
            for f in kind.fields_
        ]
        lines.append(f"if {' and '.join(kept) or True}: return node")
        lines.append(f"made = make({', '.join(values)})")
        for each in [f"node.{f.name}" for f in kind.fields_ if f.inferred and told]:
            lines.append(f"if {each} is not None: told[made] = {each}")
        lines.append("return made")
        return compile_function(signature, lines, {"make": self._maker(kind)})


def _last_first(root: Node | Sequence[Node]) -> Sequence[Node]:
    """Return where a walk begins, as a stack.

    Raises:
        UnknownKindError: Something of it is no node.
    """
    roots = [root] if isinstance(root, Node) else root[::-1]
    for place, found in enumerate(reversed(roots)):
        if not isinstance(found, Node):
            raise UnknownKindError(
                f"a walk begins at nodes; found {type(found).__name__} at {place} of its roots; "
                "give a node, or a sequence of nodes"
            )
    return roots


def _keep(node: Any, _: object) -> Any:  # Any: a node without children
    return node


_PUSH_ALL: Final = {
    Shape.ONE: "append(node.{name})",
    Shape.OPTIONAL: "if node.{name} is not None: append(node.{name})",
    Shape.MANY: "extend(node.{name}[::-1])",
    Shape.MIXED: "extend([c for c in node.{name}[::-1] if isinstance(c, Node)])",
}


_REBUILD_MANY: Final = (
    "if len({old}) == 2:",  # most calls have two arguments; spelt out it takes half the time
    "    left, right = {old}",
    "    new_left, new_right = get(left, left), get(right, right)",
    "    if new_left is not left or new_right is not right: {new} = (new_left, new_right)",
    "else:",
    "    done = 0",
    "    for item in {old}:",  # each is looked up once, which may do something
    "        image = get(item, item)",
    "        if image is not item:",
    "            rest = [get(item, item) for item in {old}[done + 1:]]",
    "            {new} = (*{old}[:done], image, *rest)",
    "            break",
    "        done += 1",
)


EVERYTHING: Final = Traversal(Node)
"""Every node there is, types and dimensions included; not what type inference left on nodes."""

"""The stub of a module that declares kinds of nodes.

It is the module without bodies, and with what its kinds get from their declarations: constructors
that take what they convert, ``with_fields`` by field, and for a family the members of its kinds:
which kind an expression is, is known while a program runs.
"""

from __future__ import annotations

import ast
import inspect
import typing
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, Final

from relayish._support.missing import AbsentMember
from relayish.errors import DeclarationError
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.fields.field import REQUIRED, Field, is_named_tuple
from relayish.ir.fields.roles import Atom
from relayish.ir.nodes.node import GIVING_WAY, Node
from relayish.stubs.docstrings import INDENT, literal
from relayish.stubs.hints import HintWriter, default, members_of, union

HEAD: Final = """\
# What type checkers see of {}: generated from the kinds it declares.
# fmt: off
# mypy: disable-error-code="assignment, misc, override"
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false
"""


def stub_of_kinds(module: ModuleType, packages: Sequence[str] = ()) -> str:
    """Return the stub of a module that declares kinds of nodes, and of what else is in it.

    Args:
        module: The module.
        packages: Modules whose kinds count as well where a family has the members of its kinds,
            beside those of relayish and of the package that the module is in.

    Raises:
        DeclarationError: If there is no source of it.
    """
    try:
        source = inspect.getsource(module)
    except (OSError, TypeError) as error:
        raise DeclarationError(
            f"{module.__name__} has no source to write a stub from; expected a module in a file"
        ) from error
    stub = _Stub(module, source, packages)
    body = "".join(stub.module())
    imports = "".join(stub.writer.imports())
    return f"{HEAD.format(module.__name__)}{imports}{body}"


def declares_kinds(module: ModuleType) -> bool:
    """Return whether a module declares kinds of nodes, or families of them."""
    return any(
        isinstance(found, type) and issubclass(found, Node) and found.__module__ == module.__name__
        for found in vars(module).values()
    )


class _Stub:
    """Writes the stub of one module."""

    def __init__(self, module: ModuleType, source: str, packages: Sequence[str]) -> None:
        self.writer = HintWriter(known=_known(module))
        self._packages = ("relayish", module.__name__.partition(".")[0], *packages)
        self._module = module
        self._tree = ast.parse(source)

    def module(self) -> Iterator[str]:
        for statement in self._tree.body:
            yield from self._statement(statement, "", None)

    def _statement(self, found: ast.stmt, margin: str, owner: type | None) -> Iterator[str]:
        match found:
            case ast.ImportFrom(module="__future__"):
                return
            case ast.Import() | ast.ImportFrom():
                yield f"{margin}{ast.unparse(self._exported(found))}\n"
            case ast.If():
                yield f"{margin}if {ast.unparse(found.test)}:\n"
                yield from self._block(found.body, margin, owner)
                if found.orelse:
                    yield f"{margin}else:\n"
                    yield from self._block(found.orelse, margin, owner)
            case ast.Try():  # what there is unless something is missing
                for each in [*found.body, *found.orelse, *found.finalbody]:
                    yield from self._statement(each, margin, owner)
            case ast.AnnAssign(target=ast.Name(id=name)) if not _is_private(name):
                yield f"{margin}{self._annotated(found, name, owner)}\n"
            case ast.Assign(targets=[ast.Name() | ast.Tuple() as target]):
                names = [each.id for each in ast.walk(target) if isinstance(each, ast.Name)]
                if not any(_is_private(name) or name.startswith("derive_") for name in names):
                    yield f"{margin}{ast.unparse(found)}\n"
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                if not _is_private(name) and not name.startswith("derive_"):
                    yield from self._function(found, margin)
            case ast.ClassDef():
                yield from self._class(found, margin, owner)

    def _block(
        self, statements: Sequence[ast.stmt], margin: str, owner: type | None
    ) -> Iterator[str]:
        inner = margin + INDENT
        lines = [line for each in statements for line in self._statement(each, inner, owner)]
        yield from lines or [f"{inner}...\n"]

    def _exported(self, found: ast.Import | ast.ImportFrom) -> ast.Import | ast.ImportFrom:
        """Return an import so that what a package takes from its modules is found in it."""
        if isinstance(found, ast.ImportFrom) and hasattr(self._module, "__path__"):
            for each in found.names:
                each.asname = each.asname or (each.name if each.name != "*" else None)
        return found

    def _annotated(self, found: ast.AnnAssign, name: str, owner: type | None) -> str:
        """Return a declaration; where its value says nothing to a type checker, without."""
        annotation = ast.unparse(found.annotation)
        kept = annotation in ("TypeAlias", "Final", "Final[Any]") or found.value is None
        if kept:
            return ast.unparse(found)
        if owner is None:
            return f"{name}: {annotation}"
        value = found.value
        assert value is not None
        is_node = issubclass(owner, Node)
        if not is_node:
            return f"{name}: {annotation} = ..."
        if isinstance(value, ast.Call):
            said = [each for each in value.keywords if each.arg in ("init", "kw_only")]
            if said:
                given = ", ".join(f"{each.arg}={ast.unparse(each.value)}" for each in said)
                given += ", default=..." if any(k.arg == "default" for k in value.keywords) else ""
                return f"{name}: {annotation} = {ast.unparse(value.func)}({given})"
        return f"{name}: {annotation}"

    def _function(
        self, found: ast.FunctionDef | ast.AsyncFunctionDef, margin: str
    ) -> Iterator[str]:
        for decorator in found.decorator_list:
            yield f"{margin}@{ast.unparse(decorator)}\n"
        returned = "" if found.returns is None else f" -> {ast.unparse(found.returns)}"
        begin = "async def" if isinstance(found, ast.AsyncFunctionDef) else "def"
        head = f"{margin}{begin} {found.name}({ast.unparse(found.args)}){returned}:"
        text = ast.get_docstring(found)
        if text is None:
            yield f"{head} ...\n"
            return
        yield f"{head}\n{literal(text, margin + INDENT)}"

    def _class(self, found: ast.ClassDef, margin: str, owner: type | None) -> Iterator[str]:
        cls = vars(self._module if owner is None else owner).get(found.name)
        for decorator in found.decorator_list:
            yield f"{margin}@{ast.unparse(decorator)}\n"
        bases = ", ".join(map(ast.unparse, [*found.bases, *found.keywords]))
        yield f"{margin}class {found.name}{f'({bases})' * bool(bases)}:\n"
        inner = margin + INDENT
        lines = []
        text = ast.get_docstring(found)
        if text is not None:
            lines.append(literal(text, inner))
        for statement in found.body if isinstance(cls, type) else ():
            lines += self._statement(statement, inner, cls)
            lines += _set_in(statement, inner)
        if isinstance(cls, type) and issubclass(cls, Node):
            lines += self._members(cls, inner)
        yield from lines or [f"{inner}...\n"]

    def _members(self, cls: type[Node], margin: str) -> Iterator[str]:
        """Yield what a kind, or a family, has beside what its source says."""
        if "fields_" not in cls.__dict__:
            yield from self._open_members(cls, margin)
            return
        yield f"{margin}__getattr__: None  # it is known what a kind has\n"
        given = [*self._parameters(cls)]
        shown = ", ".join(["self", *given])
        yield f"{margin}def __init__({shown}) -> None: ...\n"
        changes = [each.split(" = ")[0] for each in given if each != "*"]
        by_name = ["*", *(f"{change} = ..." for change in changes)] if changes else []
        shown = ", ".join(["self", "/", *by_name])
        result = self.writer.named("typing", "Self")
        yield f"{margin}def with_fields({shown}) -> {result}: ...\n"

    def _open_members(self, family: type[Node], margin: str) -> Iterator[str]:
        names = members_of_kinds(family, self._packages)
        if not names or family.__bases__ != (Node,):
            return  # a node may be of several families below one, which have to agree
        literals = ", ".join(f'"{name}"' for name in names)
        wanted = f"{self.writer.named('typing', 'Literal')}[{literals}]"
        anything = self.writer.named("typing", "Any")
        yield f"{margin}def __getattr__(self, name: {wanted}, /) -> {anything}: ...\n"

    def _parameters(self, kind: type[Node]) -> Iterator[str]:
        """Yield the parameters of the constructor of a kind, in order."""
        own = inspect.get_annotations(kind)
        hints = typing.get_type_hints(kind, localns={kind.__name__: kind})
        shadowed = {*hints}
        by_name = False
        for field in kind.fields_:
            if field.name not in own and field.default is not REQUIRED and not by_name:
                by_name = True
                yield "*"
            shown = self._accepted(field, hints[field.name], shadowed)
            given = "" if field.default is REQUIRED else f" = {default(field.default)}"
            yield f"{field.name}: {shown}{given}"

    def _accepted(self, field: Field, declared: Any, shadowed: set[str]) -> str:
        """Return the annotation of what the constructor takes for a field."""
        write = self.writer.hint
        taken = _parameter_of(field.convert)
        if taken is Any:
            return self.writer.name(object, shadowed)
        if taken is not object and taken is not None:
            return write(taken, shadowed)
        shown = list(self._widened(field, declared, shadowed))
        if field.default == ():
            shown.append("None")
        return union(shown)

    def _widened(self, field: Field, declared: Any, shadowed: set[str]) -> Iterator[str]:
        """Yield what may be given where ``declared`` is held: members of a union."""
        write, named = self.writer.hint, self.writer.named
        arguments = typing.get_args(declared)
        if typing.get_origin(declared) is tuple and arguments[1:] == (Ellipsis,):
            inside = " | ".join([write(arguments[0], shadowed), *self._literals(field)])
            yield f"{named('collections.abc', 'Sequence')}[{inside}]"
            return
        if field.accepts == (int,):
            yield named("typing", "SupportsIndex")
            return
        for member in members_of(declared):
            yield write(member, shadowed)
        yield from self._literals(field)
        if DictAttrs in field.accepts:
            text, anything = self.writer.name(str, shadowed), self.writer.name(object, shadowed)
            yield f"{named('collections.abc', 'Mapping')}[{text}, {anything}]"
        for accepted in field.accepts:
            if is_named_tuple(accepted):
                parts = typing.get_type_hints(accepted).values()
                inside = ", ".join(write(part, shadowed) for part in parts)
                yield f"{self.writer.name(tuple, shadowed)}[{inside}]"

    def _literals(self, field: Field) -> Iterator[str]:
        """Yield the numbers in whose place the language of a field puts a literal."""
        kind = field.kind
        if kind is None or kind.language_.as_literal is None:
            return
        if any(below.traits_.atom is Atom.LITERAL for below in kind.kinds):
            yield self.writer.named("relayish.ir.values.value", "Number")


def _set_in(found: ast.stmt, margin: str) -> Iterator[str]:
    """Yield the attributes that a constructor declares where it sets them."""
    if isinstance(found, ast.FunctionDef) and found.name == "__init__":
        for statement in ast.walk(found):
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Attribute):
                yield f"{margin}{statement.target.attr}: {ast.unparse(statement.annotation)}\n"


def members_of_kinds(family: type[Node], packages: Sequence[str]) -> Sequence[str]:
    """Return the names of what kinds of a family have, and not the family itself, sorted.

    Args:
        family: The family.
        packages: Where the kinds are declared that count.
    """
    homes = tuple(f"{package}." for package in packages)
    kinds = [kind for kind in family.kinds if f"{kind.__module__}.".startswith(homes)]
    found = {name for kind in kinds for name in dir(kind) if not name.startswith("_")}
    own = {*dir(family), *dir(Node), *typing.get_type_hints(family)}
    return sorted(
        name
        for name in found - own
        if not name.endswith("_")
        and not name.startswith("derive_")
        and name not in GIVING_WAY
        and any(_is_member(kind, name) for kind in kinds)
    )


def _is_member(kind: type[Node], name: str) -> bool:
    """Return whether a kind has what goes by a name, and not only something to say of it."""
    return not isinstance(inspect.getattr_static(kind, name, _ABSENT), AbsentMember)


_ABSENT: Final = AbsentMember("", "")


def _parameter_of(convert: Callable[..., object] | None) -> Any:  # Any: an annotation
    """Return what a converter takes; ``object`` where it says nothing."""
    if convert is None:
        return None
    if isinstance(convert, type):
        return convert
    hints = typing.get_type_hints(inspect.unwrap(convert))
    return next((hint for name, hint in hints.items() if name != "return"), object)


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def _known(module: ModuleType) -> dict[str, object]:
    """Return what goes by its own name in the stub of a module."""
    return {name: found for name, found in vars(module).items() if not name.startswith("_")}

"""Files outlive what is declared: kinds, fields, operators and classes that are others by now."""

from __future__ import annotations

import struct
import subprocess
import sys
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from relayish.binary import REQUIREMENTS, from_binary, to_binary, write_binary
from relayish.binary.layout import HEAD_SIZE
from relayish.binary.records import module_name
from relayish.errors import BinaryFormatError, FieldError, UnknownKindError, UnknownNameError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.modules.module import Module
from relayish.ir.nodes.node import Node, field, node
from relayish.ir.registration.declarations import declared_temporarily
from relayish.ir.relay.expr import Call, Expr, Function, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.op import register_op
from tests.support.stored import program_of, with_checksum, with_program
from tests.support.tir_programs import random_func


def written(declare: Callable[[], Any]) -> bytes:
    """Return the file of what ``declare`` makes, whose declarations are forgotten then."""
    with declared_temporarily():
        return to_binary(declare())


def read(data: bytes, declare: Callable[[], object]) -> Any:
    with declared_temporarily():
        declare()
        return from_binary(data)


def test_a_newer_version_is_refused_with_what_to_do() -> None:
    data = bytearray(to_binary(Var("x")))
    struct.pack_into("<I", data, 8, 7)
    data[:HEAD_SIZE] = with_checksum(bytes(data[:HEAD_SIZE]))
    with pytest.raises(BinaryFormatError, match=r"version 7 .* up to 1; install a newer relayish"):
        from_binary(bytes(data))


def test_options_of_a_newer_version_are_refused() -> None:
    data = bytearray(to_binary(Var("x")))
    struct.pack_into("<I", data, 12, 1)
    data[:HEAD_SIZE] = with_checksum(bytes(data[:HEAD_SIZE]))
    with pytest.raises(BinaryFormatError, match="with options"):
        from_binary(bytes(data))


# Kinds and languages


def _spin() -> Any:
    @node("binary_spin")
    class Spin(Expr):
        body: Expr

    return Spin


def test_kind_that_is_not_declared_is_named() -> None:
    data = written(lambda: _spin()(Var("x")))
    with pytest.raises(
        UnknownKindError, match=r"of kind relay\.binary_spin, .* import the package that declares"
    ):
        from_binary(data)


def test_kind_that_is_declared_anew_is_read() -> None:
    data = written(lambda: _spin()(Var("x")))
    with declared_temporarily():
        kind = _spin()
        assert type(from_binary(data)) is kind


def _in_language() -> Any:
    class Thing(Node):
        __slots__ = ()

    @node("leaf")
    class Leaf(Thing):
        size: int

    return Leaf


def test_language_that_is_not_declared_is_named() -> None:
    data = written(lambda: _in_language()(3))
    with pytest.raises(
        UnknownKindError, match=r"no language 'thing' is declared.* import the pack"
    ):
        from_binary(data)
    assert read(data, _in_language).size == 3


def test_packages_of_relayish_are_loaded_when_a_file_needs_them(tmp_path: Path) -> None:
    path = tmp_path / "loops.rly"
    write_binary(random_func(1), path)
    script = f"import relayish as relay; print(type(relay.read_binary({str(path)!r})).__module__)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "relayish.tir.ir.function"


# Fields


def _box(fields: dict[str, Any], defaults: dict[str, Any]) -> Any:
    members = {"__annotations__": fields, "__module__": __name__, **defaults}
    return node("binary_box")(type("Box", (Expr,), members))


def test_field_that_was_declared_since_takes_its_default() -> None:
    data = written(lambda: _box({"body": Expr}, {})(Var("x")))
    made = read(data, lambda: _box({"body": Expr, "size": int}, {"size": field(default=3)}))
    assert (made.size, made.body.name_hint) == (3, "x")


def test_field_without_a_default_that_was_declared_since_is_refused() -> None:
    data = written(lambda: _box({"body": Expr}, {})(Var("x")))
    with pytest.raises(FieldError, match=r"binary_box without the field 'size', which has no def"):
        read(data, lambda: _box({"body": Expr, "size": int}, {}))


def test_field_that_is_not_declared_any_more_is_refused() -> None:
    data = written(lambda: _box({"body": Expr, "size": int}, {})(Var("x"), 3))
    with pytest.raises(FieldError, match=r"with the field 'size', which is not declared") as caught:
        read(data, lambda: _box({"body": Expr}, {}))
    assert "version that wrote it" in str(caught.value)


def test_fields_in_another_order_are_read_by_name() -> None:
    data = written(lambda: _box({"a": int, "b": int}, {})(1, 2))
    made = read(data, lambda: _box({"b": int, "a": int}, {}))
    assert (made.a, made.b) == (1, 2)


def test_field_that_takes_another_class_now_is_refused_with_its_place() -> None:
    data = written(lambda: _box({"a": int}, {})(1))
    with pytest.raises(FieldError, match=r"Box\.a must be str; found 1") as caught:
        read(data, lambda: _box({"a": str}, {}))
    assert caught.value.__notes__ == ["object 2 of the file, node relay.binary_box"]


def test_field_that_holds_many_now_is_refused() -> None:
    data = written(lambda: _box({"body": Expr}, {})(Var("x")))
    with pytest.raises(BinaryFormatError, match="has one body in the file, and is declared other"):
        read(data, lambda: _box({"body": tuple[Expr, ...]}, {}))


def _attrs(fields: dict[str, Any], defaults: dict[str, Any]) -> Any:
    members = {"__annotations__": fields, "__module__": __name__, **defaults}
    return attrs("test.binary.Attrs")(type("BinaryAttrs", (Attrs,), members))


def test_attributes_take_defaults_by_name_or_are_refused() -> None:
    data = written(lambda: (_attrs({"axis": int, "mode": str}, {})(2, "x"),))
    (made,) = read(data, lambda: _attrs({"mode": str, "axis": int, "keep": bool}, {"keep": True}))
    assert (made.axis, made.mode, made.keep) == (2, "x", True)
    with pytest.raises(FieldError, match="without the field 'keep'"):
        read(data, lambda: _attrs({"mode": str, "axis": int, "keep": bool}, {}))
    with pytest.raises(FieldError, match="with the field 'mode'"):
        read(data, lambda: _attrs({"axis": int}, {}))
    with pytest.raises(FieldError, match="expected an int; found 'x'"):
        read(data, lambda: _attrs({"axis": int, "mode": int}, {}))
    with pytest.raises(UnknownNameError, match=r"attributes 'test\.binary\.Attrs', which nobody"):
        from_binary(data)


# Enumerations and named tuples


def _coloured(*names: str) -> Any:
    colour = Enum("Colour", {name: name.lower() for name in names})  # type: ignore[misc]
    return _box({"colour": colour}, {}), colour


def test_member_that_is_not_declared_any_more_is_refused() -> None:
    def write() -> Any:
        kind, colour = _coloured("RED", "BLUE")
        return kind(colour.BLUE)

    data = written(write)
    assert read(data, lambda: _coloured("BLUE", "GREEN")).colour.name == "BLUE"
    with pytest.raises(FieldError, match="Colour has no member 'BLUE'; did you mean BLUEISH"):
        read(data, lambda: _coloured("RED", "BLUEISH"))
    with pytest.raises(UnknownNameError, match=r"class Colour, which no field of relay\.b"):
        read(data, lambda: _box({"colour": int}, {}))


def test_named_tuple_is_read_by_the_names_of_its_fields() -> None:
    def declare(*names: str) -> Any:
        pair = NamedTuple("Pair", [(name, int) for name in names])  # type: ignore[misc]
        return _box({"pair": pair}, {}), pair

    def write() -> Any:
        kind, pair = declare("a", "b")
        return kind(pair(1, 2))

    data = written(write)
    assert read(data, lambda: declare("b", "a")).pair == (2, 1)
    with pytest.raises(FieldError, match="with the field 'b'"):
        read(data, lambda: declare("a", "c"))


def test_classes_of_one_name_in_fields_of_two_kinds_are_told_apart() -> None:
    with declared_temporarily():
        kinds = []
        for visit, value in (("binary_one", "a"), ("binary_other", "b")):
            mode = Enum("Mode", {"ON": value})  # type: ignore[misc]
            members = {"__annotations__": {"mode": mode}, "__module__": __name__}
            kinds.append((node(visit)(type(visit, (Expr,), members)), mode))
        given = tuple([kind(mode.ON) for kind, mode in kinds])
        assert [made.mode.value for made in from_binary(to_binary(given))] == ["a", "b"]


# Operators and what else has to be declared


def _call_of(op: Any) -> Any:
    return Call(op, (Var("x"),))


def test_operator_that_is_not_declared_is_named_with_its_domain() -> None:
    data = written(lambda: _call_of(register_op("binary_halve", arguments=("data",))))
    with pytest.raises(
        UnknownNameError, match=r"operator 'binary_halve' of domain 'relay'.*import the package"
    ):
        from_binary(data)
    assert from_binary(data, allow_unknown_ops=True).op is intern_op("binary_halve")


def test_what_a_kind_requires_is_asked_of_each_node() -> None:
    def refuse(spun: Any) -> None:
        raise UnknownNameError(f"{spun.body.name_hint} is not there")

    def declare() -> Any:
        kind = _spin()
        REQUIREMENTS.register(kind, refuse)
        return kind

    data = written(lambda: _spin()(Var("x")))
    with pytest.raises(UnknownNameError, match="x is not there"):
        read(data, declare)


# Modules


class OwnModule(Module[str]):
    """A class of modules with keys that are strings."""

    @classmethod
    def name_of(cls, key: object) -> str | None:
        return key if isinstance(key, str) else None

    @classmethod
    def make_name(cls, name: str) -> str:
        return name


def test_module_of_another_class_comes_back() -> None:
    mod = OwnModule({"f": Function((), Tuple(())), "g": Var("y")}, DictAttrs({"a": 1}))
    made = from_binary(to_binary(mod))
    assert type(made) is OwnModule
    assert (list(made), made.attrs) == (["f", "g"], mod.attrs)


def test_class_of_modules_that_moved_is_found_by_its_name() -> None:
    data = to_binary(IRModule({"f": Function((), Tuple(()))}))
    here = module_name(IRModule).encode()
    moved = with_program(data, program_of(data).replace(here, here.replace(b"relay.", b"moved.")))
    assert moved != data
    assert type(from_binary(moved)) is IRModule


def test_module_of_a_class_that_is_not_loaded_is_refused() -> None:
    data = to_binary(OwnModule({"f": Var("x")}))
    program = program_of(data).replace(b"OwnModule", b"OwnModele")
    with pytest.raises(
        UnknownNameError, match=r":OwnModele, which is not loaded; did you mean Own"
    ):
        from_binary(with_program(data, program))

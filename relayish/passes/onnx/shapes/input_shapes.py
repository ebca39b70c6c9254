"""Sizes of inputs, put in for what the model leaves open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from relayish.errors import PassError, suggest
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.nodes.node import NAMES, Node
from relayish.ir.relay.expr import Call, Expr, Function, GlobalVar, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import FuncType, PrimExpr, PrimOp, SizeVar, TensorType, TupleType, Type
from relayish.onnx.types import OptionalType, SequenceType, SparseTensorType, UnrankedTensorType
from relayish.op.types import dimension
from relayish.op.types.dimension import show_shape

Shapes = Mapping[str, Sequence[int | None]]


def fix_input_shapes(mod: IRModule, shapes: Shapes) -> IRModule:
    """Return a module whose ``main`` takes inputs of these shapes.

    A size that has a name gets its value wherever the module uses the name.

    Args:
        mod: A module of ONNX.
        shapes: Of each input, by its name, the sizes; ``None`` for one that is left as it is.

    Raises:
        PassError: If there is no such input, or its type does not allow the sizes.

    Complexity:
        Linear in the nodes.
    """
    main = mod["main"]
    if type(main) is not Function:
        raise PassError(f"main is a {type(main).__name__}; expected a function")
    params = {param.name_hint: param for param in main.params}
    sizes: dict[str, int] = {}
    types: dict[Node, Type] = {}
    for name, wanted in shapes.items():
        param = params.get(name)
        if param is None:
            known = ", ".join(map(repr, params))
            raise PassError(
                f"the model has no input {name!r}; it has {known}{suggest(name, list(params))}"
            )
        types[param] = _fix(name, param.type_annotation, tuple(wanted), sizes)
    changed: dict[GlobalVar | str, Expr] = {}
    for defined, func in mod.functions.items():
        if type(func) is Function:
            image = _Replacement(sizes, types).apply(func)
            if image is not func:
                changed[defined] = image
    return mod.with_functions(changed) if changed else mod


def _fix(
    name: str, ty: Type | None, wanted: tuple[int | None, ...], sizes: dict[str, int]
) -> TensorType:
    """Return the type of an input with other sizes, noting in ``sizes`` those that have names."""
    for size in wanted:
        if size is not None and (type(size) is not int or size < 0):
            raise PassError(
                f"input {name!r} is to have a dimension of size {size!r}; expected a number that "
                f"is not negative, or None for one that is left as it is"
            )
    if isinstance(ty, UnrankedTensorType):
        return TensorType([dimension.ANY if size is None else size for size in wanted], ty.dtype)
    if not isinstance(ty, TensorType):
        told = "no type" if ty is None else f"type {ty}"
        raise PassError(f"input {name!r} has {told}; expected a tensor, which has a shape")
    shown = show_shape([dimension.ANY if size is None else size for size in wanted])
    if len(wanted) != len(ty.shape):
        raise PassError(
            f"input {name!r} has the shape {show_shape(ty.shape)}; expected as many sizes, found "
            f"{shown}"
        )
    result: list[int | PrimExpr] = []
    for old, new in zip(ty.shape, wanted, strict=True):
        if new is None or old == new:
            result.append(old)
            continue
        if isinstance(old, int):
            raise PassError(
                f"input {name!r} has the shape {show_shape(ty.shape)}; expected a shape that "
                f"agrees with it where it is known, found {shown}"
            )
        if isinstance(old, SizeVar) and sizes.setdefault(old.name, new) != new:
            raise PassError(
                f"dimension {old.name!r} is to be {sizes[old.name]} and, by input {name!r}, {new}; "
                f"expected one size for it"
            )
        result.append(new)
    return TensorType(result, ty.dtype)


class _Replacement:
    """Puts sizes in for names in whatever holds types, and types in for those of parameters."""

    def __init__(self, sizes: Mapping[str, int], types: Mapping[Node, Type]) -> None:
        self._sizes = sizes
        self._types = types
        self._images: dict[Node, Node] = {}

    def apply(self, func: Function) -> Function:
        """Return a function with other sizes, and without the types that were inferred of it."""
        images = self._images
        for node in EXPRESSIONS.post_order(func):
            if type(node) not in NAMES and isinstance(node, Expr):
                images[node] = self._image(node)
        image = images[func]
        assert isinstance(image, Function)
        return image

    def _image(self, node: Expr) -> Expr:
        inferred = node.checked_type
        if inferred is not None and self._replace(inferred) is not inferred:
            inferred = None
        image: Any = EXPRESSIONS.retype[type(node)](
            node, self._images.get, inferred
        )  # Any: as node
        if type(node) is Var:
            told = self._types.get(node)
            old = node.type_annotation
            if told is None and old is not None:
                told = self._replace(old)
            if told is not old:
                return Var(node.name_hint, told, node.may_share, span=node.span)
        if type(node) is Function:
            result = None if node.ret_type is None else self._replace(node.ret_type)
            attrs = None if node.attrs is None else self._replace_in(node.attrs)
            if result is not node.ret_type or attrs is not node.attrs:
                return Function(
                    image.params, image.body, result, image.type_params, attrs, span=image.span
                )
        if type(node) is Call and isinstance(node.attrs, DictAttrs):
            attrs = self._replace_in(node.attrs)
            if attrs is not node.attrs:
                return Call(image.op, image.args, attrs, image.type_args, span=image.span)
        assert isinstance(image, Expr)
        return image

    def _replace_in(self, attrs: DictAttrs) -> DictAttrs:
        """Return attributes with sizes put into the types they hold."""
        told = dict(attrs.items())
        found = {name: self._replace_value(value) for name, value in told.items()}
        return attrs if all(found[n] is told[n] for n in told) else DictAttrs(found)

    def _replace_value(self, value: object) -> object:
        if isinstance(value, Type):
            return self._replace(value)
        if isinstance(value, DictAttrs):
            return self._replace_in(value)
        if isinstance(value, tuple) and any(isinstance(each, Type) for each in value):
            found = tuple([self._replace_value(each) for each in value])
            return value if all(a is b for a, b in zip(found, value, strict=True)) else found
        return value

    def _replace(self, ty: Type) -> Type:
        match ty:
            case TensorType():
                shape = tuple([self._replace_size(size) for size in ty.shape])
                return ty if shape == ty.shape else TensorType(shape, ty.dtype)
            case SequenceType() | OptionalType():
                return ty.with_fields(element=self._replace(ty.element))
            case SparseTensorType():
                return ty.with_fields(dense=self._replace(ty.dense))
            case TupleType():
                fields = tuple([self._replace(each) for each in ty.fields])
                same = all(a is b for a, b in zip(fields, ty.fields, strict=True))
                return ty if same else TupleType(fields)
            case FuncType():
                args = tuple([self._replace(each) for each in ty.arg_types])
                result = self._replace(ty.ret_type)
                same = all(a is b for a, b in zip(args, ty.arg_types, strict=True))
                return ty if same and result is ty.ret_type else FuncType(args, result)
        return ty

    def _replace_size(self, size: int | PrimExpr) -> int | PrimExpr:
        if isinstance(size, SizeVar):
            return self._sizes.get(size.name, size)
        if not isinstance(size, PrimOp):
            return size
        args = [self._replace_size(each) for each in size.args]
        if all(a is b for a, b in zip(args, size.args, strict=True)):
            return size
        compute = _COMPUTE.get(size.name)
        if compute is None or len(args) != 2:
            return size.with_fields(args=tuple(args))
        return compute(args[0], args[1])


_COMPUTE = {
    "tir.Add": dimension.add,
    "tir.Sub": dimension.subtract,
    "tir.Mul": dimension.multiply,
    "tir.FloorDiv": dimension.floor_divide,
    "tir.FloorMod": dimension.floor_mod,
}

"""Put what other compilers compute into functions of the module.

Before::

    def @main(%x, %y) {
      %0 = annotation.compiler_begin(%x, compiler="dnnl");
      %1 = annotation.compiler_begin(%y, compiler="dnnl");
      exp(annotation.compiler_end(add(%0, %1), compiler="dnnl"))
    }

After::

    def @main(%x, %y) {
      exp(@tvmgen_default_dnnl_main_0(%x, %y))
    }

    def @tvmgen_default_dnnl_main_0(%dnnl_0_i0, %dnnl_0_i1, Compiler="dnnl", Primitive=1, Inline=1,
                                    global_symbol="tvmgen_default_dnnl_main_0") {
      add(%dnnl_0_i0, %dnnl_0_i1)
    }
"""

from __future__ import annotations

import re

from relayish.analysis.evaluation_order import EvaluationOrder
from relayish.analysis.infer_type import infer_type
from relayish.analysis.type_variables import free_type_vars
from relayish.analysis.variables import free_vars
from relayish.errors import PassError
from relayish.functor import ExprRewriter, post_order_rewrite
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.fields.naming import display_name
from relayish.ir.nodes.node import Node
from relayish.ir.relay import expr as relay
from relayish.ir.relay.function_attributes import COMPILER, GLOBAL_SYMBOL, INLINE, PRIMITIVE
from relayish.ir.relay.global_var_supply import GlobalVarSupply
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import TupleType, Type
from relayish.op.declaration.target import DEFAULT
from relayish.pass_infra import register_pass
from relayish.passes.relay.fold.constant_checker import ConstantChecker
from relayish.passes.relay.normal_form.functions import (
    iterate_optimized_functions,
    transform_functions,
)
from relayish.passes.relay.offload.annotations import compiler_of, end, is_begin, is_end
from relayish.passes.relay.offload.region_graph import RegionGraph
from relayish.passes.relay.offload.regions import Region, Regions
from relayish.passes.relay.offload.scope_marks import mark_between_scopes


class _Tidier(ExprRewriter):
    """Lets the fields of a tuple leave one by one, and drops marks of the default."""

    def rewrite_call(self, pre: relay.Call, post: relay.Call) -> relay.Expr:  # noqa: ARG002
        """Return what becomes of a mark."""
        if not (is_begin(post) or is_end(post)):
            return post
        (value,) = post.args
        compiler = compiler_of(post)
        if compiler == DEFAULT:
            return value
        if is_end(post) and type(value) is relay.Tuple:
            return value.with_fields(fields=tuple(_leave(f, compiler) for f in value.fields))
        return post


def _leave(field: relay.Expr, compiler: str) -> relay.Expr:
    """Return a field of a tuple, outside; what only went into the tuple has never entered."""
    if is_begin(field):
        return field.args[0]
    return field if type(field) in (relay.Var, relay.Constant) else end(field, compiler)


class _Partitioner:
    """Builds one function of a module, with calls of functions where regions were."""

    def __init__(self, prefix: str, mod: IRModule, *, bind_constants: bool) -> None:
        self._prefix = prefix
        self._supply = GlobalVarSupply(mod)
        self._bind_constants = bind_constants
        self._constants = ConstantChecker()
        self._evaluation = EvaluationOrder()
        self._images: dict[Node, Node] = {}
        self.functions: dict[relay.GlobalVar | str, relay.Expr] = {}

    def build(self, name: str, func: relay.Function) -> relay.Function:
        """Return the function ``name``; those that it calls now are put into ``functions``."""
        regions = Regions(func)
        if not regions.regions:
            return func
        images = self._images = {}
        graph = RegionGraph(regions)
        for vertex in graph.contraction.order:
            nodes = graph.nodes[vertex]
            region = regions.of(nodes[0])
            if region is None:
                images[nodes[0]] = self._rebuild_outside(nodes[0])
                continue
            symbol = f"{self._prefix}_{region.target}_{name}_{region.number}"
            safe = re.sub(r"\W", "_", symbol)
            self._offload(region, nodes, self._supply.fresh_global(safe, add_prefix=False))
        image = images[func]
        assert isinstance(image, relay.Function)
        return image

    def _rebuild_outside(self, node: Node) -> Node:
        if is_begin(node):
            return self._image(node.args[0])
        image: Node = EXPRESSIONS.rebuild[type(node)](node, self._get)
        return image

    def _get(self, node: Node, _: object) -> Node:
        return self._images.get(node, node)

    def _offload(self, region: Region, nodes: list[Node], name: relay.GlobalVar) -> None:
        """Make a function of ``region``, and let its results be those of a call."""
        params, args = self._take(region)
        results = list(dict.fromkeys(mark.args[0] for mark in region.ends))
        taken = [mark.args[0] for mark in region.begins]
        if len(results) > 1 and self._evaluation.order_dependent(taken):
            raise PassError(
                f"what {region.target!r} computes has several results, and takes what acts, which "
                f"would act for all of them when the first is needed; bind what it takes by let"
            )
        for node in nodes:
            if not (is_begin(node) or is_end(node)):
                self._images[node] = EXPRESSIONS.rebuild[type(node)](node, self._get)
        bodies = tuple(self._image(result) for result in results)
        types = [result.checked_type for result in results]
        single = len(results) == 1
        attrs = {
            GLOBAL_SYMBOL: name.name_hint,
            PRIMITIVE: 1,
            COMPILER: region.target,
            INLINE: 1,
        }
        func = relay.Function(
            params,
            bodies[0] if single else relay.Tuple(bodies),
            types[0] if single else _tuple_type(types),
            attrs=DictAttrs(attrs),
        )
        _check_closed(func, region)
        self.functions[name] = func.with_fields(type_params=free_type_vars(func))
        call = relay.Call(name, args, span=region.ends[0].span)
        for index, result in enumerate(results):
            self._images[result] = call if single else relay.TupleGetItem(call, index)
        for mark in region.ends:
            self._images[mark] = self._images[mark.args[0]]

    def _take(self, region: Region) -> tuple[tuple[relay.Var, ...], tuple[relay.Expr, ...]]:
        """Return parameters and arguments for what enters; constants go inside if so asked."""
        entered: dict[
            relay.Expr, relay.Expr
        ] = {}  # by where it comes from: several marks may let one enter
        params: dict[relay.Var, relay.Expr] = {}
        for mark in region.begins:
            source = self._image(mark.args[0])
            if source not in entered:
                if self._bind_constants and self._constants.check(source):
                    entered[source] = source
                else:
                    name = f"{region.target}_{region.number}_i{len(entered)}"
                    entered[source] = param = relay.Var(name, mark.checked_type, span=mark.span)
                    params[param] = source
            self._images[mark] = entered[source]
        return tuple(params), tuple(params.values())

    def _image(self, expr: relay.Expr) -> relay.Expr:
        image = self._images.get(expr, expr)
        assert isinstance(image, relay.Expr)
        return image


def _tuple_type(types: list[Type | None]) -> Type | None:
    known = tuple(ty for ty in types if ty is not None)
    return TupleType(known) if len(known) == len(types) else None


def _check_closed(func: relay.Function, region: Region) -> None:
    open_ = free_vars(func)
    if open_:
        raise PassError(
            f"what {region.target!r} computes refers to {display_name(open_[0])}, which does not "
            f"enter by compiler_begin"
        )


@register_pass("PartitionGraph", opt_level=0, infer_types=True, idempotent=True)
def partition_graph(
    mod: IRModule, *, mod_name: str | None = "default", bind_constants: bool = True
) -> IRModule:
    """Graph partitioning: put what other compilers compute into functions of the module.

    Return ``mod`` with each region of another compiler in a function of its own.

    The function has the attributes ``Compiler``, ``Primitive``, ``Inline`` and ``global_symbol``,
    and is called ``tvmgen_<mod_name>_<compiler>_<function>_<number>``. What enters the region are
    its parameters; several results come as a tuple. Marks of the default target disappear.

    Args:
        mod: A module with marks, of ``AnnotateTarget`` and perhaps ``MergeCompilerRegions``.
        mod_name: What is put into the names; nothing if it is ``None`` or empty.
        bind_constants: Put constants that enter into the functions.

    Returns:
        ``mod`` itself when it has no marks.

    Raises:
        PassError: If marks do not enclose regions that could be functions.

    Complexity:
        Linear in distinct nodes and edges; no recursion.

    Source:
        Relay ``PartitionGraph``.
    """
    tidied = transform_functions(
        mod,
        lambda func: post_order_rewrite(mark_between_scopes(func), _Tidier()),
        iterate_optimized_functions,
    )
    typed = infer_type(tidied)
    partitioner = _Partitioner(
        f"tvmgen_{mod_name}" if mod_name else "tvmgen", mod, bind_constants=bind_constants
    )
    changed: dict[relay.GlobalVar | str, relay.Expr] = {}
    for var, func in iterate_optimized_functions(typed):
        image = partitioner.build(var.name_hint, func)
        if image is not func:
            changed[var] = image
    if not changed and not tidied:
        return mod
    return typed.with_functions({**partitioner.functions, **changed})

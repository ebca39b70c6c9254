"""Convert a program of ONNX to a later version of the operator set.

Before, in version 11::

    let %s = onnx::Squeeze_11(%x, axes=[1]);
    let %y = onnx::Softmax_11(%s, axis=1);

After, in version 13, where ``%s`` is of two dimensions::

    let %axes = meta[relay.Constant][0];  // [1]
    let %s = onnx::Squeeze_13(%x, %axes);
    let %y = onnx::Softmax_13(%s, axis=-1);
"""

from __future__ import annotations

from functools import cache
from typing import Final

from relayish.errors import PassError
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.nodes.node import NAMES, Node
from relayish.ir.relay.expr import Call, Expr, Function, GlobalVar, Let
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.onnx import info
from relayish.onnx.operator_sets import canonical_domain
from relayish.onnx.operators import find_operator, identity_of
from relayish.onnx.package import load_onnx
from relayish.pass_infra import register_pass
from relayish.passes.onnx.opset.adapters import ADAPTERS
from relayish.passes.onnx.opset.same_steps import SAME_STEPS
from relayish.passes.onnx.opset.step import Step, describe, next_version, versions_of
from relayish.passes.onnx.rewrite.engine import Rewriter, rewrite_function, rule
from relayish.passes.onnx.rewrite.engine.parts import opsets_of
from relayish.passes.onnx.rewrite.engine.scope import has_references


@register_pass("ConvertOpset", opt_level=0, idempotent=True)
def convert_opset(mod: IRModule, *, version: int) -> IRModule:
    """Opset conversion: call ONNX's operators as a later version of the operator set has them.

    Each call of ONNX's own operators (the domain ``""``), in graphs of nodes and in functions of
    the model too, goes step by step from the version of its operator to the one that ``version``
    means. Most steps change nothing; where attributes became inputs, defaults changed or an
    operator is gone, the call is rewritten to what computes the same. Other domains stay.

    Args:
        mod: A module of ONNX.
        version: The version of the operator set; none before that of the module.

    Returns:
        ``mod`` itself where it is of that version already.

    Raises:
        PassError: If the module is of a later version, if the installed ``onnx`` does not know
            ``version``, or if a call has no equivalent there or what it depends on is not known:
            the message names operator, step and node.

    Complexity:
        Linear in the nodes, times the steps of each.
    """
    newest = load_onnx("onnx.defs").onnx_opset_version()
    if not 1 <= version <= newest:
        raise PassError(
            f"there is no version {version} of the operator set of ONNX; expected one from 1 to "
            f"{newest}, the newest that the installed package onnx knows"
        )

    @rule("*")
    def convert(call: Call, graph: Rewriter) -> Expr | None:
        return _step(call, graph, version)

    convert.name = "ConvertOpset"
    changed: dict[GlobalVar | str, Expr] = {}
    is_onnx = False
    for name, func in mod.functions.items():
        if type(func) is not Function:
            continue
        older = _check(func, mod, version, name.name_hint)
        is_onnx = is_onnx or older is not None
        image = func
        if older:
            found = rewrite_function(func, [convert], mod, opset=version)
            assert isinstance(found, Function)
            image = _convert_rest(found, version)
        attrs = _with_version(image.attrs, version)
        if attrs is not image.attrs:
            image = image.with_fields(attrs=attrs)
        if image is not func:
            changed[name] = image
    result = mod.with_functions(changed) if changed else mod
    if not is_onnx:
        return result
    attrs = _with_version(mod.attrs, version, is_model=True)
    return result.with_attrs(attrs)


def _check(func: Function, mod: IRModule, version: int, name: str) -> bool | None:
    """Return whether some calls are older than ``version`` means; ``None`` without any call.

    Raises:
        PassError: If the function is written for a later version.
    """
    held = opsets_of(func, mod.attrs)
    found = max(held.get("", 0), held.get("ai.onnx", 0))
    is_older: bool | None = None
    for node in EXPRESSIONS.post_order(func):
        identity = identity_of(node.op) if type(node) is Call else None
        if identity is None or identity.domain:
            continue
        found = max(found, identity.since_version)
        is_older = (
            is_older or next_version(identity.name, identity.since_version, version) is not None
        )
        if not versions_of(identity.name) and version > identity.since_version:
            assert type(node) is Call
            why = "the operator sets of ONNX have no such operator"
            raise PassError(describe(node, version, "a value", why))
    if found > version:
        raise PassError(
            f"@{name} is written for version {found} of the operator set of ONNX, which cannot be "
            f"converted to version {version}; expected a version not below {found}"
        )
    return is_older


def _step(call: Call, graph: Rewriter, goal: int) -> Expr | None:
    """Return a call as of the next version that changes it, ``None`` where it is converted."""
    identity = identity_of(call.op)
    assert identity is not None
    name, since = identity.name, identity.since_version
    reached = _go_unchanged(name, since, goal)
    made: Expr = call if reached == since else call.with_fields(op=find_operator(name, reached))
    following = next_version(name, reached, goal)
    if following is None and made is call:
        return None
    assert isinstance(made, Call)
    step = Step(call, graph, reached, goal)
    if following is not None:
        step = Step(made, graph, following, goal)
        adapter = ADAPTERS.get((name, following))
        if adapter is None:
            step.refuse(_UNKNOWN)
        made = adapter(step)
    fault = graph.find_fault(made)
    if fault is not None:
        step.refuse(f"what would stand for it is not defined: {fault}")
    return made


_UNKNOWN: Final = "nothing here rewrites it; use an operator set in which it is the same"


@cache
def _go_unchanged(name: str, since: int, goal: int) -> int:
    """Return the version that a call reaches by steps that change nothing."""
    following = next_version(name, since, goal)
    while following is not None and following in SAME_STEPS.get(name, ()):
        since, following = following, next_version(name, following, goal)
    return since


def _convert_rest(func: Function, goal: int) -> Function:
    """Convert calls that rules are not asked about, by steps that change nothing.

    These have attributes that calls of the function around give, or stand where no chain is.

    Raises:
        PassError: If a call needs another step.
    """
    names = {
        node.value: node.var.name_hint for node in EXPRESSIONS.post_order(func) if type(node) is Let
    }
    images: dict[Node, Node] = {}
    retype = EXPRESSIONS.retype
    for node in EXPRESSIONS.post_order(func):
        if type(node) in NAMES or not isinstance(node, Expr):
            continue
        image = retype[type(node)](node, images.get, node.checked_type)
        identity = identity_of(node.op) if type(node) is Call else None
        if type(node) is Call and identity is not None and not identity.domain:
            reached = _go_unchanged(identity.name, identity.since_version, goal)
            following = next_version(identity.name, reached, goal)
            if following is not None:
                is_open = node.attrs is not None and has_references(node.attrs)
                why = (
                    "its attributes are given by calls of the function around; inline that first: "
                    "InlineOnnxFunctions"
                    if is_open
                    else "it is not in a chain of lets; apply ToANormalForm first"
                )
                raise PassError(describe(node, following, names.get(node, "a value"), why))
            if reached != identity.since_version:
                assert isinstance(image, Call)
                image = image.with_fields(op=find_operator(identity.name, reached))
        images[node] = image
    result = images[func]
    assert isinstance(result, Function)
    return result


def _with_version(
    attrs: DictAttrs | None, version: int, *, is_model: bool = False
) -> DictAttrs | None:
    """Return attributes of a function or a module that say the version; themselves if they do.

    Those of a module get it where they have none, and a version of the format that has it.
    """
    held = None if attrs is None else attrs.get(info.OPSETS)
    opsets = dict(held.items()) if isinstance(held, DictAttrs) else {}
    names = [domain for domain in opsets if canonical_domain(domain) == ""]
    if not names and is_model:
        names = [""]
    changed: dict[str, object] = {}
    if any(opsets.get(domain) != version for domain in names):
        changed[info.OPSETS] = DictAttrs({**opsets, **dict.fromkeys(names, version)})
    written = None if attrs is None else attrs.get(info.IR_VERSION)
    if is_model and isinstance(written, int):
        helper = load_onnx("onnx.helper")
        needed = helper.find_min_ir_version_for(
            [helper.make_operatorsetid("", version)], ignore_unknown=True
        )  # of some old versions the package does not say it
        if needed > written:
            changed[info.IR_VERSION] = needed
    if not changed:
        return attrs
    return DictAttrs({**dict([] if attrs is None else attrs.items()), **changed})

"""Reasons why a rule is not applied to a node."""

from __future__ import annotations

from typing import Any

from relayish.errors import PassError
from relayish.ir.kinds.one_line import one_line, show_found
from relayish.ir.nodes.node import Node, lineage
from relayish.rewriting.rewrite import FACTS
from relayish.rewriting.rule import Key, Rule, Unchanged
from relayish.rewriting.rules import RuleSet


def why_not(
    rule: Rule,
    node: Node,
    mod: Any = None,  # Any: a module, of whatever language
    *,
    keep_order: bool = False,
) -> str | None:
    """Return why a rule is not applied to a node, over operands as they are; ``None`` if it is.

    Args:
        rule: The rule.
        node: The node, of a program of any language; nothing is known of what is around it.
        mod: The module it belongs to.
        keep_order: As in :func:`~relayish.rewriting.rewrite_rules`.

    Raises:
        DeclarationError: If it is a rule that :func:`~relayish.rewriting.rewrite_rules` does not
            take, as those for ONNX are.
        PassError: If it is no rule, the node is none, or the rule returns what it may not.

    Example:
        >>> import relayish as relay
        >>> from relayish.dataflow_pattern import rule
        >>> from relayish.rewriting import Unchanged, why_not
        >>> @rule("nn.dropout")
        ... def drop(call, facts):
        ...     return call.args[0] if call.attrs.rate == 0 else Unchanged("its rate is not 0")
        >>> x = relay.var("x", shape=(2,))
        >>> print(why_not(drop, relay.nn.dropout(x, rate=0.5).tuple_value))
        drop leaves nn.dropout(%x) as it is: its rate is not 0
        >>> print(why_not(drop, relay.nn.relu(x)))
        drop is asked about nn.dropout, not about nn.relu(%x)
        >>> why_not(drop, relay.nn.dropout(x, rate=0.0).tuple_value)
    """
    asked: object = rule  # still to be checked, as the node
    about: object = node
    if not isinstance(asked, Rule) or not isinstance(about, Node):
        raise PassError(
            f"why_not takes a rule, a node and its module; found {asked!r} and {show_found(about)}"
        )
    RuleSet([rule])  # refuses rules of other engines
    shown = one_line(node)
    if not _is_asked_about(rule, node):
        about = ", ".join(sorted(_name(key) for key in rule.keys or ()))
        return f"{rule.name} is asked about {about}, not about {shown}"
    facts = FACTS[type(node)](node, mod, keep_order=keep_order)
    facts.pre, facts.found = node, {}
    out = rule.attempt(node, facts)
    if type(out) is Unchanged:
        return f"{rule.name} leaves {shown} as it is: {out.reason}"
    if rule.checked(out, node, facts) is node:
        matched = rule.pattern is None or facts.found
        return (
            f"{rule.name} leaves {shown} as it is"
            if matched
            else (f"{rule.name} has another pattern than {shown}: {rule.pattern}")
        )
    if facts.is_guarded and not facts.may_replace(rule, node, out):
        return f"{rule.name} would have what acts in {shown} do so in another order"
    return None


def _is_asked_about(rule: Rule, node: Node) -> bool:
    """Return whether a rule may concern the kind of a node, or what that calls."""
    keys = (*lineage(type(node)), getattr(node, "op", None))
    return rule.keys is None or not rule.keys.isdisjoint(keys)


def _name(key: Key) -> str:
    return str(getattr(key, "full_name", None) or getattr(key, "__name__", None) or key)

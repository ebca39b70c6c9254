"""The worklist over trees and graphs: rules applied to each node until none applies.

Nodes are rewritten from the innermost on. What a rule puts in the place of a node is walked as
well, as far as it is new. Nothing recurses, and a node that is shared is rewritten once.
"""

from __future__ import annotations

from typing import Any, Final

from relayish.errors import PassError
from relayish.functor.notes import note_rewrite
from relayish.ir.nodes.node import Node
from relayish.rewriting.rule import Facts, Rule
from relayish.rewriting.rules import RuleSet

CHAIN_LIMIT: Final = 100
"""How often rules may replace what stands at one place; in large programs, once for each node."""
GROWTH_LIMIT: Final = 64
"""How many replacements there may be for each node of a program, when there are many."""
GROWTH_START: Final = 10_000
"""How many replacements are many."""


class GraphRewriter:
    """Rewrites programs, or parts of one, by rules.

    Args:
        rules: The rules.
        facts: What rules may ask; they say what is walked.
        again: Whether rules are applied to what rules put into the program, until none applies;
            otherwise each node of the program is asked about once.
    """

    def __init__(self, rules: RuleSet, facts: Facts, *, again: bool = True) -> None:
        self._select = rules.of_kind
        self._traversal = facts.traversal
        self._facts = facts
        self._again = again
        self.last = ""
        """The rule that was applied last."""
        self._chain: dict[Node, tuple[int, str]] = {}
        self._applied = 0
        self._root: Node | None = None
        self._nodes: int | None = None

    def rewrite(self, root: Any, memo: dict[Node, Any]) -> Any:  # noqa: PLR0915 - one loop
        """Return what becomes of ``root``.

        Args:
            root: A node.  Any: what becomes of it is of its sort
            memo: What is known already to become of nodes, in the same place; it is filled.

        Returns:
            ``root`` itself where no rule was applied.

        Raises:
            PassError: If rules replace one another's results without end, or one returns no node.

        Complexity:
            Linear in the number of distinct nodes and of replacements; no recursion.
        """
        found = memo.get(root)
        if found is not None:
            return found
        self._root, self._nodes, self._applied = root, None, 0
        facts, select, get = self._facts, self._select, memo.get
        told, family = facts.told, facts.family
        push_of, carry_of = self._traversal.push, self._traversal.carry
        # On the stack are nodes to enter. Above a node that waits for what is below it stands None,
        # as it does above a pair of a node and what replaced it, which is walked first.
        stack: list[Any] = [root]  # Any: as said
        pop, append = stack.pop, stack.append
        while stack:
            node = pop()
            if node is not None:
                if node in memo:
                    continue
                push = push_of[type(node)]
                if push is not None:
                    append(node)
                    append(None)
                    push(node, memo, append)
                    continue
                image = node
            else:
                node = pop()
                if type(node) is tuple:
                    node, image = node
                    image = memo[node] = memo[image]
                    if image is not node:
                        memo[image] = image
                        facts.tell(image, node)
                    continue
                try:
                    image = carry_of[type(node)](node, get, told)
                except Exception as error:
                    note_rewrite(error, node, node, "rules for what it is made of")
                    raise
            rules = select[type(image)]
            if type(rules) is not tuple:
                rules = rules(image)  # type: ignore[operator]  # what selects them
            done = None
            if rules:
                facts.pre = node
                for rule in rules:
                    try:
                        out = rule.attempt(image, facts)
                        if out is image:
                            continue
                        done = get(out) if isinstance(out, family) else None
                        if done is None or facts.is_guarded:
                            done = self._accept(rule, node, image, out, memo)
                    except Exception as error:
                        note_rewrite(error, image, node, f"rule {rule.name}")
                        raise
                    if done is not None:
                        break
            if done is None:
                memo[node] = image
                if image is not node:
                    memo[image] = image
            elif type(done) is tuple:
                stack += (done, None, done[1])
            else:
                memo[node] = done
        return memo[root]

    def replace(self, node: Any, image: Any) -> Any:  # Any: nodes of one sort
        """Return what a rule puts in the place of ``image``, which is ``node`` rewritten below.

        What it returns is not walked.

        Returns:
            ``image`` itself where no rule is applied.
        """
        rules, facts = self._select[type(image)], self._facts
        facts.pre = node
        for rule in rules if type(rules) is tuple else rules(image):  # type: ignore[operator]
            out = rule.ask(image, facts)
            if out is not image:
                self.last = rule.name
                return out
        return image

    def _accept(
        self, rule: Rule, node: Any, image: Any, out: Any, memo: dict[Node, Any]
    ) -> Any:  # Any: nodes of whatever kinds
        """Return what becomes of ``node``, for which a rule returned ``out``.

        Returns:
            What it becomes; a pair of ``node`` and of what it becomes when that has been walked;
            ``None`` if the rule is not applied.
        """
        facts = self._facts
        out = image if out is node else rule.checked(out, image, facts)
        if out is image or (facts.is_guarded and not facts.may_replace(rule, image, out)):
            return None
        done = memo.get(out)
        if done is not None:  # something walked before
            return done
        memo[node] = memo[image] = image  # where the rule keeps what it was given, it stays
        out = facts.place(out, node, memo)
        facts.tell(out, node)
        if self._again:
            self._count(rule, node, out)
            return node, out
        memo[out] = out
        return out

    def _count(self, rule: Rule, node: Node, out: Node) -> None:
        """Keep count of replacements, so that rules that undo one another come to an end."""
        self.last = rule.name
        length, before = self._chain.pop(node, (0, ""))
        self._chain[out] = (length + 1, rule.name)
        self._applied += 1
        if length >= CHAIN_LIMIT and length >= self._size():
            raise PassError(
                f"{length} rules in a row replaced what stands at one place, {before} and then "
                f"{rule.name} the last of them; do they undo one another? now it is {out!r}"
            )
        if self._applied > GROWTH_START and self._applied > GROWTH_LIMIT * self._size():
            raise PassError(
                f"{self._applied} replacements were made in a program of {self._size()} nodes, "
                f"the last by rule {rule.name}; does it make more of what it matches?"
            )

    def _size(self) -> int:
        if self._nodes is None:
            assert self._root is not None
            self._nodes = len(self._traversal.post_order(self._root))
        return self._nodes

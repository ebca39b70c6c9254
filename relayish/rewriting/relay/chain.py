"""Let chains that are rewritten: bindings in order, which of them use a variable, a worklist."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Final
from weakref import WeakKeyDictionary

from relayish._support.collector import pause_collection
from relayish.analysis.referential_transparency import ReferentialTransparency
from relayish.analysis.variables import free_vars
from relayish.ir.nodes.span import name_of_span
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalVar,
    Let,
    Op,
    Tuple,
    TupleGetItem,
    Var,
)


class Binding:
    """A variable and what it is bound to; the last of a chain has no variable.

    Variables of the value that are renamed one after the other are replaced all at once, when
    somebody asks for the value.
    """

    __slots__ = (
        "_is_plain", "_operands", "_renamed", "_value", "following", "is_waiting", "let",
        "preceding", "reach", "var",
    )  # fmt: skip

    def __init__(self, var: Var | None, value: Expr, let: Let | None) -> None:
        self.var = var
        self.let = let
        self._value = value
        self._operands: tuple[Var, ...] = ()
        self._renamed: dict[Expr, Var] | None = None
        self._is_plain: bool | None = None
        self.preceding: Binding | None = None
        self.following: Binding | None = None
        self.is_waiting = False
        self.reach = 0  # how far the worklist is to follow uses, when the turn comes

    @property
    def value(self) -> Expr:
        """What the variable is bound to."""
        if self._renamed:
            self._settle()
        return self._value

    @property
    def operands(self) -> tuple[Var, ...]:
        """The variables in it, each as often as it stands there."""
        if self._renamed:
            self._settle()
        return self._operands

    def bind(self, value: Expr, operands: tuple[Var, ...]) -> None:
        """Bind the variable to another value, whose variables are ``operands``."""
        self._value, self._operands = value, operands
        self._renamed = self._is_plain = None

    @property
    def is_plain(self) -> bool:
        """Whether all its variables are operands of the value, none within functions."""
        if self._is_plain is None:
            value = self._value
            direct = (value,) if type(value) is Var else _parts(value)
            variables = sum([type(part) is Var for part in direct])
            self._is_plain = len(self._operands) == variables
        return self._is_plain

    def rename(self, var: Var, image: Var) -> None:
        """Let ``image`` stand wherever ``var`` does, of a value that is plain.

        Complexity:
            Constant; what is renamed is replaced later, in time linear in the operands.
        """
        assert self.is_plain
        if self._renamed is None:
            self._renamed = {}
        self._renamed[var] = image

    def _settle(self) -> None:
        renamed, self._renamed = self._renamed or {}, None
        for var in reversed(renamed):  # what was renamed to may have been renamed since
            image = renamed[var]
            renamed[var] = renamed.get(image, image)
        value = self._value
        self._operands = tuple([renamed.get(each, each) for each in self._operands])
        if type(value) is Var:
            self._value = renamed.get(value, value)
        else:
            parts: list[Expr] = [renamed.get(part, part) for part in _parts(value)]
            self._value = _with_parts(value, parts)


class Chain:
    """The bindings of a function, linked in order, and an index of uses.

    Values are flat: the operands of calls, tuples and projections are variables, constants, closed
    functions, or nothing. What a chain holds beside these is never looked into nor changed.

    Attributes:
        end: The last binding, of the results.
        bindings: The binding of each variable.
        users: For each variable, the bindings that use it, and how often each does.
        waiting: The worklist.
        dropped: The variables of bindings that were dropped, last ones first, until it is cleared.
    """

    def __init__(self, body: Expr) -> None:
        self.bindings: dict[Expr, Binding] = {}
        self.users: dict[Expr, dict[Binding, int]] = {}
        self.waiting: deque[Binding] = deque()
        self.dropped: list[Var] = []
        self._transparency = ReferentialTransparency()
        self._free: dict[Expr, tuple[Var, ...]] = {}
        self.end = Binding(None, Tuple(()), None)
        self._first: Binding | None = None
        with pause_collection():  # all that is made stays
            self._fill(body)

    # building

    def _fill(self, body: Expr) -> None:
        tail = body
        end, bindings, waiting = self.end, self.bindings, self.waiting
        while type(tail) is Let:
            value = tail.value
            if type(value) is Let or not all(map(_is_flat, _parts(value))):
                self.insert(tail.var, value, end, tail)
            else:  # nearly all are: what `insert` does, in place
                found = bindings[tail.var] = Binding(tail.var, value, tail)
                found.following, found.preceding = end, end.preceding
                if end.preceding is None:
                    self._first = found
                else:
                    end.preceding.following = found
                end.preceding = found
                self._count(found, value)
                found.is_waiting = True
                waiting.append(found)
            tail = tail.body
        if type(tail) is Call or type(tail) is TupleGetItem:
            tail = self._bind(tail, self.end)
        self._set(self.end, self._flatten_operands(tail, self.end))

    def _bind(self, value: Expr, before: Binding) -> Var:
        var = Var(_hint(value))
        self.insert(var, value, before)
        return var

    def insert(self, var: Var, value: Expr, before: Binding, let: Let | None = None) -> Binding:
        """Add a binding before another one, and before it the lets that its value begins with."""
        pending: list[tuple[Var, Expr]] = [(var, value)]
        while True:
            name, each = pending.pop()
            if type(each) is Let:
                pending += [(name, each.body), (each.var, each.value)]
                continue
            found = self._insert(name, each, before, let)
            if not pending:
                return found

    def _insert(self, var: Var, value: Expr, before: Binding, let: Let | None) -> Binding:
        flat = self._flatten_operands(value, before)
        found = Binding(var, flat, let if let is not None and flat is let.value else None)
        found.following, found.preceding = before, before.preceding
        if before.preceding is None:
            self._first = found
        else:
            before.preceding.following = found
        before.preceding = found
        self.bindings[var] = found
        self._count(found, flat)
        self.enqueue(found)
        return found

    def _flatten_operands(self, value: Expr, before: Binding) -> Expr:
        """Return ``value`` with its compound operands bound to variables before it."""
        if all(map(_is_flat, _parts(value))):
            return value
        stack, images = [value], dict[Expr, Expr]()
        while stack:
            expr = stack[-1]
            pending = [] if expr in images else [
                part for part in _parts(expr) if not _is_flat(part) and part not in images
            ]  # fmt: skip
            if pending:
                stack += reversed(pending)
                continue
            stack.pop()
            if expr in images:
                continue
            image = _with_parts(expr, [images.get(part, part) for part in _parts(expr)])
            if expr is not value:
                image = self._bind(image, before)
            images[expr] = image
        return images[value]

    # changing

    def replace_value(self, binding: Binding, value: Expr) -> None:
        """Bind the variable of ``binding`` to another value, of which it is the same."""
        if type(value) is Let:
            value = self._bind(value, binding)
        self._set(binding, self._flatten_operands(value, binding))

    def _set(self, binding: Binding, value: Expr) -> None:
        before = binding.operands
        self._count(binding, value)
        self._discount(binding, before)

    def _count(self, binding: Binding, value: Expr) -> None:
        """Bind to a value, and note what it uses."""
        found = self._variables(value)
        binding.bind(value, found)
        for var in found:
            users = self.users.get(var)
            if users is None:
                users = self.users[var] = {}
            users[binding] = users.get(binding, 0) + 1

    def _discount(self, binding: Binding, operands: tuple[Var, ...], *, wakes: bool = True) -> None:
        """Forget uses that a binding no longer has; drop what nothing uses any more.

        A use that is left alone is put on the worklist, as rules ask for such, if it ``wakes``.
        """
        pending = [(binding, operands)]
        while pending:
            user, gone = pending.pop()
            for var in gone:
                users = self.users[var]
                left = users[user] - 1
                if left:
                    users[user] = left
                else:
                    del users[user]
                if wakes and len(users) == 1:
                    self.enqueue(next(iter(users)))
                bound = self.bindings.get(var)
                if not users and bound is not None and self._transparency.holds_for(bound.value):
                    self._unlink(bound)
                    pending.append((bound, bound.operands))

    def drop_unused(self, binding: Binding, *, wakes: bool = True) -> None:
        """Drop a binding if nothing uses it, and what nothing but it uses."""
        if binding.var in self.bindings and not self.users.get(binding.var):
            self._unlink(binding)
            self._discount(binding, binding.operands, wakes=wakes)

    def drop_all_unused(self) -> int:
        """Drop the bindings that nothing uses, but for those that act; return how many."""
        before = tuple(self.bindings.items())
        for var, binding in before:
            if not self.users.get(var) and self._transparency.holds_for(binding.value):
                self.drop_unused(binding)
        return len(before) - len(self.bindings)

    def _unlink(self, binding: Binding) -> None:
        assert binding.var is not None
        del self.bindings[binding.var]
        self.dropped.append(binding.var)
        assert binding.following is not None
        binding.following.preceding = binding.preceding
        if binding.preceding is None:
            self._first = binding.following
        else:
            binding.preceding.following = binding.following

    def replace_uses(self, var: Var, image: Var) -> list[Binding]:
        """Use ``image`` wherever ``var`` is used, but within functions; return what used it.

        Complexity:
            Linear in the users, however many operands these have.
        """
        uses = self.users.get(var, {})
        users = list(uses)
        for user in users:
            if user.is_plain:
                user.rename(var, image)
                counts = self.users.setdefault(image, {})
                counts[user] = counts.get(user, 0) + uses.pop(user)
            elif any(part is var for part in _parts(user.value)):
                parts = [image if part is var else part for part in _parts(user.value)]
                self._set(user, _with_parts(user.value, parts))
        return users

    # asking

    def enqueue(self, binding: Binding, reach: int = 0) -> None:
        """Put a binding on the worklist, where it stands once.

        Args:
            binding: The binding.
            reach: How far what uses it is put there too, when its turn comes.
        """
        binding.reach = max(binding.reach, reach)
        if not binding.is_waiting:
            binding.is_waiting = True
            self.waiting.append(binding)

    def take_waiting(self) -> Binding:
        """Take the first binding off the worklist, and put there what uses it, as far as asked."""
        binding = self.waiting.popleft()
        binding.is_waiting = False
        if binding.reach:
            self.enqueue_users(binding, binding.reach - 1)
            binding.reach = 0
        return binding

    def enqueue_users(self, binding: Binding, reach: int) -> None:
        """Put on the worklist what uses a binding."""
        for user in self.users.get(binding.var, ()) if binding.var is not None else ():
            self.enqueue(user, reach)

    def count_uses(self, var: Expr) -> int:
        """Return how often a variable is used."""
        return sum(self.users.get(var, _NOTHING).values())

    def is_used_once(self, var: Expr) -> bool:
        """Return whether a variable is used in one place."""
        users = self.users.get(var, _NOTHING)
        return len(users) == 1 and sum(users.values()) == 1

    def _variables(self, value: Expr) -> tuple[Var, ...]:
        if type(value) is Var:
            return (value,)
        found: list[Var] = []
        parts = _parts(value)
        if not parts and type(value) not in _LEAVES:
            return free_vars(value)
        for part in parts:
            if type(part) is Var:
                found.append(part)
            elif type(part) not in _CLOSED:  # a function, or what no rule looks into
                found += self._free_in(part)
        if type(value) is Call and type(value.op) is not Op and type(value.op) is not GlobalVar:
            found += self._free_in(value.op)
        return tuple(found)

    def _free_in(self, expr: Expr) -> tuple[Var, ...]:
        found = self._free.get(expr)
        if found is None:
            found = self._free[expr] = free_vars(expr)
        return found

    def __iter__(self) -> Iterator[Binding]:
        """Yield the bindings in order, without the last."""
        binding = self._first
        while binding is not None and binding is not self.end:
            yield binding
            binding = binding.following

    def enqueue_all(self) -> None:
        """Put all bindings but the last on the worklist, in order."""
        for binding in self:
            self.enqueue(binding)

    def rebuild(self) -> Expr:
        """Return the chain as an expression, with the old lets where nothing in them changed."""
        body = self.end.value
        binding = self.end.preceding
        while binding is not None:
            let = binding.let
            if let is None:
                assert binding.var is not None
                let = Let(binding.var, binding.value, body)
            elif let.value is not binding.value or let.body is not body:
                let = let.with_fields(value=binding.value, body=body)
            body = let
            binding = binding.preceding
        return body


_KEPT: Final[WeakKeyDictionary[Function, Chain]] = WeakKeyDictionary()
"""By function: its chain, which an earlier pass left."""


def take_chain(func: Function) -> Chain:
    """Return the chain of a function, all of it on the worklist: a kept one, if there is any.

    Complexity:
        Linear in the bindings; of a kept chain, a fraction of what it takes to make one.
    """
    kept = _KEPT.pop(func, None)
    if kept is None:
        return Chain(func.body)
    kept.dropped.clear()
    kept.enqueue_all()
    return kept


def keep_chain(func: Function, chain: Chain) -> None:
    """Keep the chain of a function for whoever rewrites that next; nobody may use it until then."""
    tail = func.body
    for binding in chain:
        if type(tail) is not Let or tail.var is not binding.var or tail.value is not binding.value:
            return  # not the same: the function is nested otherwise
        binding.let, tail = tail, tail.body
    if tail is chain.end.value:
        _KEPT[func] = chain


_NOTHING: Mapping[Binding, int] = {}
_CLOSED = frozenset({Constant, GlobalVar, Op})
_LEAVES = frozenset({Constant, Function, Call, Tuple, GlobalVar, Op})
_COMPOUND = frozenset({Call, Tuple, TupleGetItem, Let})


def _parts(value: Expr) -> tuple[Expr, ...]:
    """Return the operands of a value that may be replaced."""
    if type(value) is Call:
        return value.args
    if type(value) is Tuple:
        return value.fields
    if type(value) is TupleGetItem:
        return (value.tuple_value,)
    return ()


def _with_parts(value: Expr, parts: Iterable[Expr]) -> Expr:
    if type(value) is Call:
        return value.with_fields(args=tuple(parts))
    if type(value) is Tuple:
        return value.with_fields(fields=tuple(parts))
    if type(value) is TupleGetItem:
        (whole,) = parts
        return value.with_fields(tuple_value=whole)
    return value


def _is_flat(expr: Expr) -> bool:
    return type(expr) not in _COMPOUND or (type(expr) is Tuple and not expr.fields)


def _hint(expr: Expr) -> str:
    named = name_of_span(expr.span)
    if named:
        return named
    return expr.op.name.lower() if type(expr) is Call and type(expr.op) is Op else "value"

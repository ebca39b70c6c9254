"""The tight hand-written loops: slotted nodes without validation, one loop for each piece of work.

This is what a careful programmer writes for one program and throws away; every figure of relayish
stands beside the loop's in the same run.
"""

from __future__ import annotations

from collections.abc import Callable

VAR, CONST, CALL, LET = range(4)


class Plain:
    __slots__ = ("args", "kind", "name", "value")

    def __init__(self, kind: int, name: str, args: tuple[Plain, ...], value: object) -> None:
        self.kind = kind
        self.name = name
        self.args = args
        self.value = value


def dag(size: int) -> Plain:
    x, y = Plain(VAR, "x", (), None), Plain(VAR, "y", (), None)
    for _ in range(size):
        x, y = y, Plain(CALL, "add", (y, x), None)
    return y


def foldable(size: int) -> Plain:
    one = Plain(CONST, "", (), 1)
    e = one
    for _ in range(size):
        e = Plain(CALL, "add", (e, one), None)
    return Plain(CALL, "add", (e, Plain(VAR, "x", (), None)), None)


def tenth_foldable(size: int) -> Plain:
    one, y, e = Plain(CONST, "", (), 1), Plain(VAR, "y", (), None), Plain(VAR, "x", (), None)
    for i in range(size):
        other = Plain(CALL, "add", (one, one), None) if i % 10 == 0 else y
        e = Plain(CALL, "add", (e, other), None)
    return e


def rewritable(size: int) -> Plain:
    zero, one = Plain(CONST, "", (), 0), Plain(CONST, "", (), 1)
    x, y = Plain(VAR, "x", (), None), Plain(VAR, "y", (), None)
    for _ in range(size // 4):
        x = Plain(CALL, "add", (x, zero), None)
        x = Plain(CALL, "mul", (x, one), None)
        x = Plain(CALL, "add", (x, y), None)
        x = Plain(CALL, "mul", (x, y), None)
    return x


def half_dead(size: int) -> Plain:
    """A chain of lets (args: variable, value, body) half of which nobody uses."""
    x, y = Plain(VAR, "x", (), None), Plain(VAR, "y", (), None)
    bindings = []
    for _ in range(size // 2):
        live, dead = Plain(VAR, "l", (), None), Plain(VAR, "d", (), None)
        bindings.append((live, Plain(CALL, "add", (x, y), None)))
        bindings.append((dead, Plain(CALL, "mul", (live, y), None)))
        x = live
    e = x
    for var, value in reversed(bindings):
        e = Plain(LET, "", (var, value, e), None)
    return e


def duplicated(size: int) -> Plain:
    """Each sum twice, and their product, so that a quarter of the operations is superfluous."""
    x, y = Plain(VAR, "x", (), None), Plain(VAR, "y", (), None)
    for _ in range(size // 4):
        p, q = Plain(CALL, "add", (x, y), None), Plain(CALL, "add", (x, y), None)
        x = Plain(CALL, "add", (Plain(CALL, "mul", (p, q), None), y), None)
    return x


def count(root: Plain) -> int:
    seen = {root}
    stack = [root]
    visited = 0
    while stack:
        node = stack.pop()
        visited += 1
        for arg in node.args:
            if arg not in seen:
                seen.add(arg)
                stack.append(arg)
    return visited


def post_order(root: Plain) -> list[Plain]:
    order: list[Plain] = []
    seen: set[Plain] = set()
    stack: list[Plain | None] = [root]
    while stack:
        node = stack.pop()
        if node is None:
            order.append(stack.pop())
        elif node not in seen:
            seen.add(node)
            if node.args:
                stack.append(node)
                stack.append(None)
                stack.extend(node.args)
            else:
                order.append(node)
    return order


def identity(root: Plain) -> Plain:
    memo: dict[Plain, Plain] = {}
    for node in post_order(root):
        same = True
        images = []
        for arg in node.args:
            image = memo[arg]
            images.append(image)
            if image is not arg:
                same = False
        memo[node] = node if same else Plain(node.kind, node.name, tuple(images), node.value)
    return memo[root]


def infer(root: Plain) -> Plain:
    """Build the program anew with the type of each node, by a table for calls, as its value."""
    tensor = ("float32", ())
    table = {("add", tensor, tensor): tensor}
    memo: dict[Plain, Plain] = {}
    for node in post_order(root):
        images = tuple([memo[arg] for arg in node.args])
        types = [node.name, *[image.value for image in images]]
        memo[node] = Plain(node.kind, node.name, images, table.get(tuple(types), tensor))
    return memo[root]


def fold(root: Plain, table: dict[str, Callable[[object, object], object]]) -> Plain:
    memo: dict[Plain, Plain] = {}
    for node in post_order(root):
        if node.kind != CALL:
            memo[node] = node
            continue
        left, right = memo[node.args[0]], memo[node.args[1]]
        if left.kind == CONST and right.kind == CONST:
            memo[node] = Plain(CONST, "", (), table[node.name](left.value, right.value))
        elif left is node.args[0] and right is node.args[1]:
            memo[node] = node
        else:
            memo[node] = Plain(CALL, node.name, (left, right), None)
    return memo[root]


def rewrite(root: Plain) -> Plain:
    memo: dict[Plain, Plain] = {}
    for node in post_order(root):
        if node.kind != CALL:
            memo[node] = node
            continue
        left, right = memo[node.args[0]], memo[node.args[1]]
        if right.kind == CONST and (
            (node.name == "add" and right.value == 0) or (node.name == "mul" and right.value == 1)
        ):
            memo[node] = left
        elif left is node.args[0] and right is node.args[1]:
            memo[node] = node
        else:
            memo[node] = Plain(CALL, node.name, (left, right), None)
    return memo[root]


def dead_code(root: Plain) -> Plain:
    chain = []
    while root.kind == LET:
        chain.append(root)
        root = root.args[2]
    used = {root}
    image = root
    for let in reversed(chain):
        var, value, body = let.args
        if var in used:
            used.update(value.args)
            image = let if image is body else Plain(LET, "", (var, value, image), None)
    return image


def common_subexpr(root: Plain) -> Plain:
    memo: dict[Plain, Plain] = {}
    table: dict[tuple[str, tuple[Plain, ...]], Plain] = {}
    for node in post_order(root):
        if node.kind != CALL:
            memo[node] = node
            continue
        same = True
        images = []
        for arg in node.args:
            image = memo[arg]
            images.append(image)
            if image is not arg:
                same = False
        args = tuple(images)
        key = (node.name, args)
        first = table.get(key)
        if first is None:
            first = table[key] = node if same else Plain(CALL, node.name, args, None)
        memo[node] = first
    return memo[root]


def to_text(root: Plain) -> str:
    names: dict[Plain, str] = {}
    lines: list[str] = []
    for node in post_order(root):
        if node.kind == CALL:
            name = names[node] = f"%{len(lines)}"
            lines.append(f"{name} = {node.name}({', '.join([names[a] for a in node.args])});")
        else:
            names[node] = "%" + node.name if node.kind == VAR else str(node.value)
    return "\n".join(lines)


def parse(text: str) -> Plain:
    known: dict[str, Plain] = {}
    node = None
    for line in text.split("\n"):
        target, _, call = line.partition(" = ")
        name, _, rest = call.partition("(")
        args = []
        for arg in rest[:-2].split(", "):
            found = known.get(arg)
            if found is None:
                plain = Plain(VAR, arg[1:], (), None)
                found = plain if arg[0] == "%" else Plain(CONST, "", (), int(arg))
                known[arg] = found
            args.append(found)
        node = known[target] = Plain(CALL, name, tuple(args), None)
    assert node is not None
    return node


def print_and_parse(root: Plain) -> Plain:
    return parse(to_text(root))


def structural_hash(root: Plain) -> int:
    hashes: dict[Plain, int] = {}
    for node in post_order(root):
        hashes[node] = hash((node.kind, node.name, *[hashes[arg] for arg in node.args]))
    return hashes[root]

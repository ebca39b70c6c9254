"""Diagrams of any size: chains, nests, wide ones, captures, jumps, boxes that use themselves."""

from __future__ import annotations

import numpy as np

from relayish.draw.diagram import Box, BoxKind, Details, Diagram, Edge, EdgeKind

FAMILIES = ("product", "normalization", "activation", "elementwise", "shape", "reduction")
OPERATORS = ("nn.conv2d", "nn.batch_norm", "nn.relu", "add", "reshape", "mean")
TYPE = "float32[1, 64, 56, 56]"


def operator(number, parent=None, **fields):
    """Return an operator of the six, by number."""
    name = OPERATORS[number % 6]
    details = fields.pop(
        "details",
        Details(
            text=f"%{number} = {name}(%{number - 1})",
            type=f"Tensor[(1, {number}, 56, 56), float32]",
            place=f"model.relay:{number}:3",
            attributes={"axis": str(number % 4)},
        ),
    )
    box = {
        "key": f"main/{number}",
        "parent": parent,
        "family": FAMILIES[number % 6],
        "details": details,
        "lines": (f"axis = {number % 4}",) if number % 3 == 0 else (),
    }
    return Box(BoxKind.OPERATOR, name, **(box | fields))


def chain(count, per_scope=0, skip=0):
    """Return a chain of operators, so many in each scope; each ``skip``-th leads further on too."""
    diagram = Diagram(f"chain of {count}")
    last = before = diagram.add(Box(BoxKind.INPUT, "x", key="x"))
    scope = None
    for number in range(count):
        if per_scope and number % per_scope == 0:
            name = f"/layer.{number // per_scope}"
            scope = diagram.add(Box(BoxKind.SCOPE, name, key=name))
        box = diagram.add(operator(number, scope))
        diagram.connect(Edge(last, box, label=TYPE))
        if skip and number % skip == 0:
            if number:
                diagram.connect(Edge(before, box, input=1, label=TYPE))
            before = last
        last = box
    end = diagram.add(Box(BoxKind.OUTPUT, "result", key="result"))
    diagram.connect(Edge(last, end, label=TYPE))
    return diagram


def leaps(count):
    """Return a chain with edges from its first half to its second: too long to be drawn."""
    diagram = chain(count)
    diagram.title = "leaps"
    for number in range(1, count // 2):
        diagram.connect(Edge(number, count - number, 1))
    return diagram


def wide(count):
    """Return one value with so many users, all of which are joined."""
    diagram = Diagram(f"{count} side by side")
    source = diagram.add(Box(BoxKind.INPUT, "x", key="x"))
    boxes = [diagram.add(operator(number)) for number in range(count)]
    end = diagram.add(Box(BoxKind.OPERATOR, "concatenate", key="end", family="shape"))
    for number, box in enumerate(boxes):
        diagram.connect(Edge(source, box))
        diagram.connect(Edge(box, end, number))
    return diagram


def small():
    """Return a function with a branch that captures, operands with names, constants, and a loop."""
    diagram = Diagram("small")
    main = diagram.add(Box(BoxKind.FUNCTION, "@main", key="main"))
    x = diagram.add(Box(BoxKind.INPUT, "x", key="main/x", parent=main, details=Details(type=TYPE)))
    values = {"weight": np.linspace(-1, 1, 4096, dtype="float32").reshape(64, 64) ** 3}
    attributes = {"strides": "[2, 2]", "padding": "[1, 1, 1, 1]"}
    conv = Box(
        BoxKind.OPERATOR,
        "nn.conv2d",
        key="main/conv",
        parent=main,
        family="product",
        lines=("strides = [2, 2]", "weight: float32[64, 64]"),
        details=Details("%1 = nn.conv2d(%x, weight)", "small.relay:3:8", attributes, values),
    )
    conv = diagram.add(conv)
    relu = diagram.add(Box(BoxKind.OPERATOR, "nn.relu", "main/relu", main, "activation"))
    flag = diagram.add(Box(BoxKind.OPERATOR, "greater", "main/flag", main, "comparison"))
    diagram.boxes[flag].lines = ("0.5",)
    branch = diagram.add(Box(BoxKind.BRANCH, "if", "main/if", main, "control"))
    then = diagram.add(Box(BoxKind.BLOCK, "then", "main/if/then", branch))
    captured = diagram.add(Box(BoxKind.CAPTURE, "%2", "main/if/then/%2", then))
    power = diagram.add(
        Box(BoxKind.OPERATOR, "power", "main/if/then/power", then, "elementwise", ("float32[]",))
    )
    diagram.boxes[power].inputs = ("base", "exponent")
    out = diagram.add(Box(BoxKind.OUTPUT, "then", "main/if/then/out", then))
    other = diagram.add(Box(BoxKind.BLOCK, "else", "main/if/else", branch))
    loop = diagram.add(Box(BoxKind.POINT, "retry", "main/if/else/retry", other))
    twice = diagram.add(Box(BoxKind.OPERATOR, "multiply", "main/if/else/multiply", other))
    diagram.boxes[twice].family = "elementwise"
    otherwise = diagram.add(Box(BoxKind.OUTPUT, "else", "main/if/else/out", other))
    result = diagram.add(Box(BoxKind.OUTPUT, "result", "main/result", main))
    for edge in (
        Edge(x, conv, label=TYPE),
        Edge(conv, relu, label=TYPE),
        Edge(x, flag, label=TYPE),
        Edge(flag, branch, label="bool"),
        Edge(relu, captured, label=TYPE, kind=EdgeKind.CAPTURE),
        Edge(captured, power, 1),
        Edge(conv, power, 0, label=TYPE, kind=EdgeKind.CAPTURE),
        Edge(power, out),
        Edge(relu, twice, 0, kind=EdgeKind.CAPTURE),
        Edge(relu, twice, 1, kind=EdgeKind.CAPTURE),
        Edge(loop, loop, kind=EdgeKind.CONTROL),
        Edge(loop, twice, kind=EdgeKind.CONTROL),
        Edge(twice, otherwise),
        Edge(branch, result, label=TYPE),
    ):
        diagram.connect(edge)
    return diagram


def marked():
    """Return a chain of which boxes were added, removed and changed."""
    diagram = chain(6, per_scope=3)
    for box, mark in zip((2, 3, 7), ("added", "removed", "changed"), strict=True):
        diagram.boxes[box].mark = mark
    return diagram


def cyclic():
    """Return a flow graph with a way back."""
    diagram = Diagram("flow graph")
    points = [diagram.add(Box(BoxKind.POINT, f"bb{n}", key=f"bb{n}")) for n in range(5)]
    for source, target in ((0, 1), (1, 2), (2, 3), (3, 1), (1, 4), (2, 2)):
        diagram.connect(Edge(points[source], points[target], kind=EdgeKind.CONTROL))
    return diagram


def hostile():
    """Return boxes whose names are made to do harm, or cannot be shown as they are."""
    diagram = Diagram("</title><script>alert(1)</script>")
    names = (
        "</script><script>throw 1</script>",
        "<!-- <img src=x onerror=throw/1>",
        "quotes \" ' ` & &amp;",
        "bell \x07 escape \x1b[31m",
        "right \u202e to left",
        "separator \u2028 end",
        "half \ud800 a character",
        "emoji 🦜 and עברית",
        "__proto__",
        "",
        "x" * 5000,
    )
    last = None
    for name in names:
        details = Details(name, name, {name: name}, {name: np.zeros(2)}, [name], name, {name: name})
        box = Box(BoxKind.OPERATOR, name, name, lines=(name,), inputs=(name,), details=details)
        number = diagram.add(box)
        if last is not None:
            diagram.connect(Edge(last, number, label=name))
        last = number
    return diagram

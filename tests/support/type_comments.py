"""The types in the comments of typed Relay text, beside those that inference finds.

A comment ``/* ty=T */`` stands behind an expression and tells its type; behind the annotation of
a variable where it is bound it tells that of the variable. Where the text of a type refers to
metadata, types are compared as structures, dimensions by their place.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from relayish.analysis.infer_type import infer_type
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.nodes.traversal import EVERYTHING
from relayish.ir.relay.expr import Expr, Var
from relayish.ir.relay.type import TupleType
from relayish.text import astext, parse
from tests.support.typed_text import typed

COMMENT = re.compile(r"/\* ty=(?P<type>.*?)(?: span=.*?)? \*/", re.DOTALL)
NEVER_IN_BINDERS = "/;={}"
BINDER = re.compile(rf"(?P<name>%[\w.]+): (?P<annotation>[^{NEVER_IN_BINDERS}]*?) $")

CONSTANT = re.compile(r"meta\[relay\.Constant\]\[\d+\] $")


def wrong_types(text):
    """Return what differs, and how many comments were compared."""
    program = text.split("#[metadata]")[0]
    mod = typed(text)
    nodes = nodes_by_end(mod)
    variables = nodes_by_start(mod)
    position = positions(program)
    wrong, count, by_structure = [], 0, []
    for match in COMMENT.finditer(program):
        count += 1
        told = re.sub(r"(\d)i64\b", r"\1", " ".join(match["type"].split()))
        end = match.start()
        begin = 1 + max(program.rfind(mark, 0, end) for mark in NEVER_IN_BINDERS)
        binder = BINDER.search(program, begin, end)
        of_metadata = CONSTANT.search(program, begin, end)
        if binder is not None:
            found = variables.get(position(binder.start()), [])
        elif of_metadata is not None:
            found = [infer_type(constant(text, of_metadata[0]))]
        else:
            found = nodes.get(position(begin + len(program[begin:end].rstrip())), [])
        types = {show(node.checked_type): node.checked_type for node in found}
        if list(types) == [told]:
            continue
        if "meta[" in told and len(types) == 1:
            by_structure.append((told, next(iter(types.values())), position(match.start())))
            continue
        wrong.append((position(match.start()), told, sorted(types)))
    wrong += differing(text, by_structure)
    return wrong, count


def constant(text, reference):
    """Return the constant that ``reference`` stands for in the metadata of ``text``."""
    version, metadata = text.splitlines()[0], text.split("#[metadata]")[1]
    return parse(f"{version}\ndef @main() {{ {reference} }}\n#[metadata]{metadata}")["main"].body


def show(ty):
    shown = " ".join(astext(ty, show_meta_data=False).split())
    return re.sub(r"free_type \w+; |/\* metadata.*", "", shown).strip()


def positions(text):
    starts = [0, *(m.end() for m in re.finditer("\n", text))]

    def position(offset):
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    return position


def nodes_by_end(mod):
    """Return, by where it ends, the outermost expression; several where they are as long."""
    found = {}
    for node in every_node(mod):
        if not isinstance(node, Expr) or node.span is None or node.checked_type is None:
            continue
        end, start = (node.span.end_line, node.span.end_column), (node.span.line, node.span.column)
        others = found.setdefault(end, {})
        others.setdefault(start, []).append(node)
    return {end: nodes[min(nodes)] for end, nodes in found.items()}


def nodes_by_start(mod):
    found = {}
    for node in every_node(mod):
        if isinstance(node, Var) and node.span is not None:
            found.setdefault((node.span.line, node.span.column), []).append(node)
    return found


def every_node(mod):
    seen = set()
    for func in mod.functions.values():
        for node in EVERYTHING.pre_order(func):
            if node not in seen:
                seen.add(node)
                yield node


def differing(text, told):
    """Return those types whose text refers to metadata that are another structure."""
    if not told:
        return []
    program, metadata = text.split("#[metadata]")
    listed = ", ".join(item[0] for item in told)
    extended = f"{program}\ndef @__told(%told: ({listed},)) {{ () }}\n#[metadata]{metadata}"
    param = parse(extended)["__told"].params[0]
    expected = param.type_annotation
    found = TupleType(tuple(item[1] for item in told))
    if structural_equal(found, expected, map_free_vars=True):
        return []
    return [(told[0][2], listed, [show(found)])]

"""Programs as wrong passes leave them: each corruption breaks one rule of a sound module.

A corruption is asked with a module and a source of chance. It returns what becomes of some nodes,
``{node: image}``, or a whole module; ``None`` where the module has nothing that it could break.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias, TypeVar, cast

import numpy as np

import relayish as relay
from relayish.analysis import free_vars
from relayish.ir.fields.field import Field
from relayish.ir.fields.roles import Role
from relayish.ir.nodes.node import NAMES, Node
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.scopes.replacing import rebuild_fields
from relayish.ir.scopes.scoping import PROGRAM, bound_by, scope_roots

Images: TypeAlias = dict[Node, Node]
Corruption: TypeAlias = Callable[[relay.IRModule, random.Random], "Images | relay.IRModule | None"]

CORRUPTIONS: Final[dict[str, Corruption]] = {}
ODD: Final = relay.TensorType((7, 11, 13), "uint16")
"""A type that no random program has anywhere."""

_N = TypeVar("_N", bound=Node)


def corruption(made: Corruption) -> Corruption:
    """Put a function into :data:`CORRUPTIONS`."""
    CORRUPTIONS[made.__name__] = made
    return made


def corrupted(
    mod: relay.IRModule, name: str, seed: int, *, keeps_types: bool = False
) -> relay.IRModule | None:
    """Return ``mod`` with the corruption ``name``; ``None`` where it does not apply.

    Args:
        mod: A sound module.
        name: Of a corruption.
        seed: What chance depends on.
        keeps_types: Whether rebuilt nodes carry the types of those they come from, as a pass leaves
            them that copies them.
    """
    found = CORRUPTIONS[name](mod, random.Random(f"{name} {seed}"))
    if found is None or isinstance(found, relay.IRModule):
        return found
    functions = rebuilt(mod.functions, found, keeps_types=keeps_types)
    return relay.IRModule(functions, mod.type_definitions)


def rebuilt(
    functions: Mapping[Any, Node], given: Images, *, keeps_types: bool = False
) -> dict[Any, Node]:  # Any: names
    """Return definitions with some nodes replaced, wherever they occur."""
    images: Images = dict(given)
    for node in PROGRAM.post_order(list(functions.values())):
        make = PROGRAM.rebuild[type(node)]
        if node in given or make is None or type(node) in NAMES:
            continue
        image = make(node, images.get)
        if keeps_types and isinstance(node, relay.Expr) and image is not node:
            image = image.with_fields(checked_type=node.checked_type)
        images[node] = image
    return {name: images.get(func, func) for name, func in functions.items()}


def _nodes(mod: relay.IRModule, kind: type[_N]) -> list[_N]:
    order = PROGRAM.post_order(list(mod.functions.values()))
    return [node for node in order if isinstance(node, kind)]


def _one(chance: random.Random, found: Iterable[_N]) -> _N | None:
    listed = list(found)
    return chance.choice(listed) if listed else None


def _uses(body: Node, var: relay.Var) -> bool:
    return var in free_vars(body)


# variables


@corruption
def drop_let(mod: relay.IRModule, chance: random.Random) -> Images | None:
    """Lose the binding of a variable that is used."""
    let = _one(chance, [n for n in _nodes(mod, relay.Let) if _uses(n.body, n.var)])
    return None if let is None else {let: let.body}


@corruption
def replace_params(mod: relay.IRModule, chance: random.Random) -> Images | None:
    """Give a function other parameters, and leave their uses."""
    used = [f for f in _nodes(mod, relay.Function) if any(_uses(f.body, p) for p in f.params)]
    func = _one(chance, used)
    if func is None:
        return None
    params = [relay.Var(param.name_hint, param.type_annotation) for param in func.params]
    return {func: func.with_fields(params=params)}


@corruption
def replace_uses(mod: relay.IRModule, chance: random.Random) -> Images | None:
    """Replace the uses of what a let binds, and not the binder."""
    let = _one(chance, [n for n in _nodes(mod, relay.Let) if n.body is n.var])
    return None if let is None else {let: let.with_fields(body=relay.Var(let.var.name_hint, ODD))}


@corruption
def bind_twice(mod: relay.IRModule, chance: random.Random) -> Images | None:
    """Bind the variable of a let once more, in its body."""
    let = _one(chance, _nodes(mod, relay.Let))
    if let is None:
        return None
    return {let: let.with_fields(body=relay.Let(let.var, let.value, let.body))}


@corruption
def list_a_parameter_twice(mod: relay.IRModule, chance: random.Random) -> Images | None:
    """Let a function have one variable for two parameters."""
    func = _one(chance, [f for f in _nodes(mod, relay.Function) if f.params])
    return None if func is None else {func: func.with_fields(params=(*func.params, func.params[0]))}


@corruption
def use_out_of_scope(mod: relay.IRModule, chance: random.Random) -> Images | None:
    """Use a variable behind the let that binds it."""
    let = _one(chance, _nodes(mod, relay.Let))
    return None if let is None else {let: relay.TupleGetItem(relay.Tuple((let, let.var)), 0)}


@corruption
def use_in_its_own_value(mod: relay.IRModule, chance: random.Random) -> Images | None:
    """Use a variable in the value of the let that binds it, which is no function."""
    let = _one(chance, [n for n in _nodes(mod, relay.Let) if type(n.value) is not relay.Function])
    if let is None:
        return None
    return {let: let.with_fields(value=relay.TupleGetItem(relay.Tuple((let.value, let.var)), 0))}


@corruption
def take_a_local_of_another_function(
    mod: relay.IRModule, chance: random.Random
) -> relay.IRModule | None:
    """Use a variable that another function of the module binds."""
    funcs = {name: func for name, func in mod.functions.items() if isinstance(func, relay.Function)}
    last = max(funcs, key=lambda name: (name.name_hint == "main", name.name_hint))
    var = _one(chance, [p for name, func in funcs.items() if name is not last for p in func.params])
    if var is None:
        return None
    main = funcs[last]
    body = relay.TupleGetItem(relay.Tuple((main.body, var)), 0)
    return mod.with_function(last, main.with_fields(body=body))


@corruption
def forget_a_pattern_variable(mod: relay.IRModule, chance: random.Random) -> Images | None:
    """Let a pattern no longer bind a variable that its clause uses."""
    found = [
        (clause, var)
        for clause in _nodes(mod, relay.Clause)
        for var in EXPRESSIONS.post_order(clause.lhs)
        if isinstance(var, relay.PatternVar) and _uses(clause.rhs, var.var)
    ]
    if not found:
        return None
    clause, pattern = chance.choice(found)
    lost = rebuilt({"lhs": clause.lhs}, {pattern: relay.PatternWildcard()})["lhs"]
    return {clause: clause.with_fields(lhs=lost)}


@corruption
def bind_twice_in_a_pattern(mod: relay.IRModule, chance: random.Random) -> Images | None:
    """Let a pattern bind one variable in two places."""
    patterns = [n for n in _nodes(mod, relay.PatternConstructor) if len(n.patterns) > 1]
    pattern = _one(
        chance, [n for n in patterns if any(type(p) is relay.PatternVar for p in n.patterns)]
    )
    if pattern is None:
        return None
    bound = next(p for p in pattern.patterns if type(p) is relay.PatternVar)
    return {pattern: pattern.with_fields(patterns=[bound] * len(pattern.patterns))}


@corruption
def replace_what_is_bound(mod: relay.IRModule, chance: random.Random) -> Images | None:
    """Let a node of any kind bind another variable than is used in its scopes."""
    found = [
        (node, var)
        for node in _nodes(mod, Node)
        for var in bound_by(node)
        if isinstance(var, relay.Var) and any(_uses(root, var) for root in scope_roots(node))
    ]
    if not found:
        return None
    node, old = chance.choice(found)
    new = relay.Var(old.name_hint, old.type_annotation)

    def change(_owner: Node, declared: Field, held: Node) -> Node:
        return new if held is old and declared.role is Role.BINDER else held

    return {node: rebuild_fields(node, change)}


# calls


@corruption
def drop_an_argument(mod: relay.IRModule, chance: random.Random) -> Images | None:
    """Call an operator with an argument less."""
    call = _one(chance, [n for n in _nodes(mod, relay.Call) if type(n.op) is relay.Op and n.args])
    return None if call is None else {call: call.with_fields(args=call.args[:-1])}


@corruption
def drop_an_argument_of_a_function(mod: relay.IRModule, chance: random.Random) -> Images | None:
    """Call a function with an argument less."""
    call = _one(
        chance, [n for n in _nodes(mod, relay.Call) if type(n.op) is not relay.Op and n.args]
    )
    return None if call is None else {call: call.with_fields(args=call.args[:-1])}


@corruption
def add_a_parameter(mod: relay.IRModule, chance: random.Random) -> Images | None:
    """Give a function that is called a parameter more."""
    called = {n.op for n in _nodes(mod, relay.Call)}
    bound = dict.fromkeys([n.value for n in _nodes(mod, relay.Let) if n.var in called])
    local = [f for f in _nodes(mod, relay.Function) if f in called or f in bound]
    named = [f for name, f in mod.functions_of(relay.Function).items() if _is_called(mod, name)]
    func = _one(chance, [*local, *named])
    return (
        None
        if func is None
        else {func: func.with_fields(params=(*func.params, relay.Var("more", ODD)))}
    )


@corruption
def swap_parameters(mod: relay.IRModule, chance: random.Random) -> Images | None:
    """Swap two parameters of different types of a function that is called."""
    called = {n.op for n in _nodes(mod, relay.Call)}
    bound = dict.fromkeys([n.value for n in _nodes(mod, relay.Let) if n.var in called])
    named = [f for name, f in mod.functions_of(relay.Function).items() if _is_called(mod, name)]
    for func in chance.sample(both := [*bound, *named], len(both)):
        if not isinstance(func, relay.Function) or len(func.params) < 2:
            continue
        first, second = func.params[:2]
        if str(first.type_annotation) != str(second.type_annotation):
            return {func: func.with_fields(params=(second, first, *func.params[2:]))}
    return None


@corruption
def call_a_number(mod: relay.IRModule, chance: random.Random) -> Images | None:
    """Call what is no function."""
    call = _one(chance, _nodes(mod, relay.Call))
    return None if call is None else {call: call.with_fields(op=relay.Constant(np.float32(1)))}


@corruption
def change_an_operand(mod: relay.IRModule, chance: random.Random) -> Images | None:
    """Give an operator an operand of another shape and element type."""
    calls = [n for n in _nodes(mod, relay.Call) if type(n.op) is relay.Op and len(n.args) == 2]
    call = _one(chance, calls)
    if call is None:
        return None
    odd = relay.Constant(np.zeros((7, 11, 13), "uint16"))
    return {call: call.with_fields(args=(call.args[0], odd))}


@corruption
def lose_the_attributes(mod: relay.IRModule, chance: random.Random) -> Images | None:
    """Build a call anew without its attributes."""
    calls = [n for n in _nodes(mod, relay.Call) if type(n.op) is relay.Op and n.attrs is not None]
    call = _one(chance, [n for n in calls if cast("Any", n.attrs).field_names])
    return None if call is None else {call: call.with_fields(attrs=None)}


def _is_called(mod: relay.IRModule, name: relay.GlobalVar) -> bool:
    ops = [call.op for call in _nodes(mod, relay.Call)]
    return any(type(op) is relay.GlobalVar and op.name_hint == name.name_hint for op in ops)


# names


@corruption
def remove_a_definition(mod: relay.IRModule, chance: random.Random) -> relay.IRModule | None:
    """Remove a function that is used elsewhere."""
    used = {node.name_hint for node in _nodes(mod, relay.GlobalVar)}
    name = _one(chance, [n for n in mod.functions if n.name_hint in used])
    return None if name is None else mod.without_functions([name])


@corruption
def call_an_unknown_function(mod: relay.IRModule, chance: random.Random) -> Images | None:
    """Call a function that the module does not define."""
    call = _one(chance, _nodes(mod, relay.Call))
    return None if call is None else {call: call.with_fields(op=relay.GlobalVar("nowhere"))}


@corruption
def remove_a_type_definition(mod: relay.IRModule, _: random.Random) -> relay.IRModule | None:
    """Remove the definition of a type whose values are made or taken apart."""
    used = _nodes(mod, relay.PatternConstructor) or _nodes(mod, relay.Constructor)
    return relay.IRModule(mod.functions) if used else None


@corruption
def copy_a_constructor(mod: relay.IRModule, chance: random.Random) -> Images | None:
    """Use a constructor that looks like one of the module, and is none."""
    pattern = _one(chance, _nodes(mod, relay.PatternConstructor))
    if pattern is None:
        return None
    made = pattern.constructor
    copy = type(made)(made.name_hint, made.inputs, made.belong_to)
    return {pattern: pattern.with_fields(constructor=copy)}


@corruption
def call_an_undeclared_operator(mod: relay.IRModule, chance: random.Random) -> Images | None:
    """Call an operator that nobody declared."""
    call = _one(chance, [n for n in _nodes(mod, relay.Call) if type(n.op) is relay.Op])
    return None if call is None else {call: call.with_fields(op=intern_op("nowhere"))}


# types


@corruption
def change_an_annotation(mod: relay.IRModule, chance: random.Random) -> Images | None:
    """Annotate what a let binds with another type than its value has."""
    let = _one(chance, _nodes(mod, relay.Let))
    if let is None:
        return None
    var = relay.Var(let.var.name_hint, ODD)
    return {let.var: var}


@corruption
def change_a_result_type(mod: relay.IRModule, chance: random.Random) -> Images | None:
    """Let a function promise another result than it returns."""
    func = _one(chance, _nodes(mod, relay.Function))
    return None if func is None else {func: func.with_fields(ret_type=ODD)}


@corruption
def carry_a_stale_type(mod: relay.IRModule, chance: random.Random) -> Images | None:
    """Let an expression carry a type that it has not."""
    node = _one(chance, [n for n in _nodes(mod, relay.Call) if n.checked_type is not None])
    return None if node is None else {node: node.with_fields(checked_type=ODD)}


@corruption
def keep_the_type_of_what_changed(mod: relay.IRModule, chance: random.Random) -> Images | None:
    """Replace a function body and keep the type of the function."""
    func = _one(chance, [f for f in mod.functions_of(relay.Function).values() if f.checked_type])
    if func is None:
        return None
    body = relay.Tuple((func.body, relay.Constant(np.float32(1))))
    return {func: func.with_fields(body=body, ret_type=None, checked_type=func.checked_type)}


@corruption
def leave_a_type_variable_unbound(mod: relay.IRModule, chance: random.Random) -> Images | None:
    """Annotate a parameter with a type variable that nothing binds."""
    func = _one(chance, mod.functions_of(relay.Function).values())
    if func is None:
        return None
    return {func: func.with_fields(params=(*func.params, relay.Var("odd", relay.TypeVar("T"))))}


@corruption
def leave_a_type_variable_unbound_inside(
    mod: relay.IRModule, chance: random.Random
) -> Images | None:
    """Mention a type variable that nothing binds deep in an annotation of an inner function."""
    node = _one(chance, [n for n in _nodes(mod, relay.Call) if type(n.op) is relay.Op])
    if node is None:
        return None
    odd = relay.Var("odd", relay.TupleType((relay.TypeVar("T"),)))
    return {node: relay.TupleGetItem(relay.Tuple((node, relay.Function((odd,), odd))), 0)}


@corruption
def use_a_type_variable_out_of_scope(mod: relay.IRModule, chance: random.Random) -> Images | None:
    """Use the type variable of an inner function outside of it."""
    node = _one(chance, [n for n in _nodes(mod, relay.Call) if type(n.op) is relay.Op])
    if node is None:
        return None
    ty = relay.TypeVar("T")
    x, y = relay.Var("x", ty), relay.Var("y", ty)
    binds, uses = relay.Function((x,), x, None, (ty,)), relay.Function((y,), y)
    return {node: relay.TupleGetItem(relay.Tuple((node, binds, uses)), 0)}


@corruption
def give_a_type_too_many_arguments(mod: relay.IRModule, chance: random.Random) -> Images | None:
    """Apply a type definition to more arguments than it has parameters."""
    func = _one(chance, mod.functions_of(relay.Function).values())
    header = next(iter(mod.type_definitions), None)
    if func is None or header is None:
        return None
    odd = relay.Var("odd", relay.TypeCall(header, (ODD, ODD, ODD)))
    return {func: func.with_fields(params=(*func.params, odd))}


@corruption
def name_a_type_that_is_not_defined(mod: relay.IRModule, chance: random.Random) -> Images | None:
    """Annotate a parameter with a type that the module does not define."""
    func = _one(chance, mod.functions_of(relay.Function).values())
    if func is None:
        return None
    odd = relay.Var("odd", relay.TypeCall(relay.GlobalTypeVar("Nowhere"), ()))
    return {func: func.with_fields(params=(*func.params, odd))}


@corruption
def give_wrong_type_arguments(mod: relay.IRModule, chance: random.Random) -> Images | None:
    """Say that a constructor is used at another type than that of its arguments."""
    calls = [n for n in _nodes(mod, relay.Call) if isinstance(n.op, relay.Constructor) and n.args]
    call = _one(chance, calls)
    return None if call is None else {call: call.with_fields(type_args=(ODD,))}


@corruption
def give_too_many_type_arguments(mod: relay.IRModule, chance: random.Random) -> Images | None:
    """Call a constructor with more type arguments than it has parameters."""
    call = _one(chance, [n for n in _nodes(mod, relay.Call) if isinstance(n.op, relay.Constructor)])
    return None if call is None else {call: call.with_fields(type_args=(ODD, ODD, ODD))}


@corruption
def mention_an_undefined_type_in_a_definition(
    mod: relay.IRModule, _: random.Random
) -> relay.IRModule | None:
    """Let a constructor take values of a type that the module does not define."""
    return _with_a_constructor(mod, relay.TypeCall(relay.GlobalTypeVar("Nowhere"), ()))


@corruption
def mention_an_unbound_variable_in_a_definition(
    mod: relay.IRModule, _: random.Random
) -> relay.IRModule | None:
    """Let a constructor take values of a type variable that its definition does not bind."""
    return _with_a_constructor(mod, relay.TypeVar("T"))


def _with_a_constructor(mod: relay.IRModule, ty: relay.Type) -> relay.IRModule | None:
    data = next(iter(mod.type_definitions.values()), None)
    if data is None:
        return None
    more = relay.Constructor("More", (ty,), data.header)
    changed = data.with_fields(constructors=(*data.constructors, more))
    return relay.IRModule(mod.functions, {**mod.type_definitions, data.header: changed})


# what is taken apart


@corruption
def project_too_far(mod: relay.IRModule, chance: random.Random) -> Images | None:
    """Take a field that a tuple does not have."""
    get = _one(chance, _nodes(mod, relay.TupleGetItem))
    return None if get is None else {get: get.with_fields(index=99)}


@corruption
def test_what_is_no_bool(mod: relay.IRModule, chance: random.Random) -> Images | None:
    """Put what is no truth value where a condition stands."""
    node = _one(chance, _nodes(mod, relay.If))
    return None if node is None else {node: node.with_fields(cond=relay.Constant(np.float32(1)))}


@corruption
def return_different_types(mod: relay.IRModule, chance: random.Random) -> Images | None:
    """Let the branches of an if have different types."""
    node = _one(chance, _nodes(mod, relay.If))
    if node is None:
        return None
    # a pair of values has another type than one, whatever that is
    return {node: node.with_fields(true_branch=relay.Tuple((node.true_branch, node.true_branch)))}


@corruption
def drop_a_clause(mod: relay.IRModule, chance: random.Random) -> Images | None:
    """Leave cases of a match uncovered."""
    matches = [n for n in _nodes(mod, relay.Match) if n.complete and n.clauses]
    match = _one(chance, [n for n in matches if len(n.clauses) == 1 or _needs_last(n)])
    return None if match is None else {match: match.with_fields(clauses=match.clauses[:-1])}


def _needs_last(match: relay.Match) -> bool:
    *others, last = match.clauses
    plain = isinstance(last.lhs, relay.PatternConstructor) and not any(
        isinstance(c.lhs, relay.PatternWildcard | relay.PatternVar | relay.PatternTuple)
        for c in others
    )
    name = last.lhs.constructor if isinstance(last.lhs, relay.PatternConstructor) else None
    heads = [c.lhs.constructor for c in others if isinstance(c.lhs, relay.PatternConstructor)]
    return plain and name not in heads


@corruption
def drop_a_pattern(mod: relay.IRModule, chance: random.Random) -> Images | None:
    """Match a constructor with fewer patterns than it has fields."""
    pattern = _one(chance, [n for n in _nodes(mod, relay.PatternConstructor) if n.patterns])
    return None if pattern is None else {pattern: pattern.with_fields(patterns=())}


@corruption
def read_what_is_no_reference(mod: relay.IRModule, chance: random.Random) -> Images | None:
    """Take away the cell that is read."""
    node = _one(chance, _nodes(mod, relay.RefRead))
    return None if node is None else {node: node.with_fields(ref=relay.Constant(np.float32(1)))}


@corruption
def write_another_type(mod: relay.IRModule, chance: random.Random) -> Images | None:
    """Write a value of another type than the cell has."""
    node = _one(chance, _nodes(mod, relay.RefWrite))
    return (
        None if node is None else {node: node.with_fields(value=relay.RefCreate(relay.Tuple(())))}
    )

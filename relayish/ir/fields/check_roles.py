"""Consistency of declarations: roles of fields that do not go together."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

from relayish.errors import DeclarationError
from relayish.ir.fields.field import REQUIRED, Field
from relayish.ir.fields.roles import Atom, Role

# Any: a class of nodes, which stands above this file


def check_roles(cls: type[Any], fields: tuple[Field, ...], atom: Atom | None) -> None:
    """Refuse the declaration of ``cls``, a kind of node, if it contradicts itself.

    Raises:
        DeclarationError: Naming the field, and what to declare instead.
    """
    for before, after in itertools.pairwise(fields):
        if before.default is not REQUIRED and after.default is REQUIRED:
            raise DeclarationError(
                f"{cls.__name__}.{after.name} has no default, but {before.name} before it has one; "
                f"declare it before {before.name}, or give it a default"
            )
    roles = {f.role: f.name for f in fields}
    if Role.PART in roles and Role.BINDER in roles and Role.SCOPE not in roles:
        raise DeclarationError(
            f"{cls.__name__}.{roles[Role.BINDER]} is declared a binder, but {cls.__name__} has no "
            f"scope of its own in which it would be known, only parts; let the parts bind what "
            f"their scopes know, or hold a scope in {cls.__name__}"
        )
    _check_scope(cls, fields, roles)
    in_order = [f for f in fields if f.role in (Role.OPERAND, Role.PART)]
    for before, after in itertools.pairwise(in_order):
        if before.role is Role.PART and after.role is Role.OPERAND:
            raise DeclarationError(
                f"{cls.__name__}.{after.name} is declared after {before.name}, but operands of a "
                f"{cls.__name__} are evaluated before those of its parts; declare it before"
            )
    apart = roles.get(Role.SCOPE, roles.get(Role.PART))
    if cls.held_as_ is Role.ANNOTATION and apart is not None:
        raise DeclarationError(
            f"{cls.__name__}.{apart} is declared a scope or part, but a {cls.__name__} only says "
            f"something and is not evaluated; leave it an annotation"
        )
    recursive = [f.name for f in fields if f.recursive]
    if recursive and not any(f.binder for f in fields):
        raise DeclarationError(
            f"{cls.__name__}.{recursive[0]} is declared recursive, but {cls.__name__} binds "
            f"nothing; declare the field of its variables with field(binder=True)"
        )
    for declared in fields:
        if atom is not None and declared.role not in (Role.LEAF, Role.ANNOTATION):
            raise DeclarationError(
                f"{cls.__name__} is declared an atom, but its field {declared.name} is "
                f"{'an' if declared.role is Role.OPERAND else 'a'} {declared.role.value}; an atom "
                f"has none, but may hold annotations, which are not evaluated"
            )
        held = declared.kind
        if not declared.binder or held is None or held.held_as_ is Role.BINDER:
            continue
        wrong = [k.__name__ for k in held.kinds if k.traits_.atom is not Atom.VARIABLE]
        if wrong:
            raise DeclarationError(
                f"{cls.__name__}.{declared.name} is declared a binder, but may hold {wrong[0]}, "
                f"which is no kind of variable; declare {wrong[0]} with atom=Atom.VARIABLE, "
                f"or annotate the field with a kind of variable"
            )


def _check_scope(cls: type[Any], fields: tuple[Field, ...], roles: Mapping[Role, str]) -> None:
    """Refuse what binds variables that would be known nowhere, or in two places."""
    declares = next((f for f in fields if f.declares), None)
    name, has_scope = cls.__name__, Role.SCOPE in roles
    if declares is not None and (has_scope or not declares.binder or cls.held_as_ is Role.PART):
        why = (
            f"{name} has a scope, in which alone it is known; leave declares out"
            if has_scope
            else "it binds nothing; declare the field of its variables with field(binder=True, "
            "declares=True)"
            if not declares.binder
            else f"nothing stands behind a {name}, which is a part of a node; declare a field of "
            f"it with field(scope=Runs...), or let what holds it bind the variable"
        )
        raise DeclarationError(
            f"{name}.{declares.name} is said to declare what it binds, but {why}"
        )
    bound = [f.name for f in fields if f.binder and f.is_evaluated]
    if declares is None and bound and not has_scope and cls.held_as_ in (Role.OPERAND, Role.PART):
        instead = (
            f"let what holds a {name} bind it"
            if cls.held_as_ is Role.PART
            else f"where it is known in all that stands behind a {name}, declare {bound[0]} with "
            f"field(binder=True, declares=True)"
        )
        raise DeclarationError(
            f"{name}.{bound[0]} is declared a binder, but {name} has no scope in which it would be "
            f"known, for operands are evaluated outside; declare a field of {name} with "
            f"field(scope=Runs...), or {instead}"
        )

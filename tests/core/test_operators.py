"""Core's operators are AIR's, and those that its document names beyond them."""

from __future__ import annotations

import re
from pathlib import Path

from relayish import core
from relayish.ir.domains.property import Property as P
from tests.support.each import each

ROOT = Path(__file__).parent.parent.parent
OPERATORS = core.CORE.domain.kinds

# operators: children, symbols among them; properties
AIR = {
    "add sub mul shl ashr lshr": (2, P.EXPR),
    "eq ne lt le gt ge": (2, P.EXPR | P.COMPARE),
    "intconst zero one": (0, P.EXPR | P.VALUE),
    "ldc ldca": (1, P.EXPR | P.CONST_ID),
    "lda idname": (1, P.EXPR | P.SYM),
    "ld": (1, P.EXPR | P.LOAD | P.SYM | P.ACC_TYPE),
    "ldf": (1, P.EXPR | P.LOAD | P.SYM | P.ACC_TYPE | P.FIELD_ID),
    "ldo": (1, P.EXPR | P.LOAD | P.SYM | P.ACC_TYPE | P.OFFSET),
    "ild": (1, P.EXPR | P.LOAD | P.ACC_TYPE),
    "ldp": (1, P.EXPR | P.LOAD | P.PREG | P.ACC_TYPE),
    "ldpf": (1, P.EXPR | P.LOAD | P.PREG | P.ACC_TYPE | P.FIELD_ID),
    "st": (2, P.STMT | P.STORE | P.SYM | P.ACC_TYPE),
    "stf": (2, P.STMT | P.STORE | P.SYM | P.ACC_TYPE | P.FIELD_ID),
    "sto": (2, P.STMT | P.STORE | P.SYM | P.ACC_TYPE | P.OFFSET),
    "stp": (2, P.STMT | P.STORE | P.PREG | P.ACC_TYPE),
    "stpf": (2, P.STMT | P.STORE | P.PREG | P.ACC_TYPE | P.FIELD_ID),
    "ist": (2, P.STMT | P.STORE | P.ACC_TYPE),
    "array": (None, P.EXPR | P.EX_CHILD),
    "func_entry": (None, P.SCF | P.ENTRY | P.EX_CHILD),
    "entry": (1, P.ENTRY),
    "block": (None, P.SCF),
    "if": (3, P.SCF),
    "do_loop": (5, P.SCF | P.SYM),
    "while_do do_while": (2, P.SCF),
    "call": (None, P.STMT | P.CALL | P.ENTRY | P.RET_VAR | P.FLAGS | P.EX_CHILD),
    "icall": (None, P.STMT | P.CALL | P.RET_VAR | P.FLAGS | P.EX_CHILD),
    "ret": (0, P.STMT),
    "retv": (1, P.STMT),
    "pragma": (0, P.STMT | P.LEAF | P.VALUE),
    "validate": (4, P.STMT | P.LIB_CALL),
    "tm_start tm_taken": (0, P.STMT | P.LIB_CALL),
    "dump_var": (3, P.STMT | P.LIB_CALL),
    "end_stmt_list": (0, P.STMT | P.END_BB),
    "void invalid": (0, P.LEAF),
    "div mod band bor bxor land lor": (2, P.EXPR),
    "bnot lnot": (1, P.EXPR),
}


@each("names", AIR)
def test_operators_have_the_children_and_properties_of_air(names):
    children, properties = AIR[names]
    for name in names.split():
        assert OPERATORS[name].num_children == children, name
        assert properties & ~OPERATORS[name].properties == P.NONE, name


def test_page_names_every_operator():
    page = (ROOT / "docs" / "core.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+)`", page))
    assert [name for name in OPERATORS if name not in named] == []

"""Core: AIR's common operators as a language on the common ground: statements, symbols, memory.

``from relayish import core``: nodes are ``core.FuncEntry``, ``core.St``, ``core.DoLoop``, ...;
types ``core.as_type("int32*")``. What a package derives from ``core.Expr`` or ``core.Stmt`` may
stand wherever those of core do.
"""

from relayish._support.face import imported_names as _imported_names
from relayish._support.missing import set_finder as _set_finder
from relayish.core import algebra as _algebra
from relayish.core import control_flow as _control_flow
from relayish.core import mod_ref as _mod_ref
from relayish.core import rewriting as _rewriting
from relayish.core import temporaries as _temporaries
from relayish.core import text as _text
from relayish.core import trip_counts as _trip_counts
from relayish.core import value_flow as _value_flow
from relayish.core.build import CompiledProgram, build
from relayish.core.builders.expr import element, equal, land, load, lor, not_equal
from relayish.core.builders.function import FunctionScope
from relayish.core.builders.scope import GlobalScope
from relayish.core.interpreter import Evaluate, Interpreter, Machine, run
from relayish.core.ir.constant import Constant
from relayish.core.ir.definition import Entry, FuncDecl, FuncEntry, GlobalVariable, StructDef
from relayish.core.ir.expr import (
    Add,
    Ashr,
    Band,
    BinaryOp,
    BitOp,
    Bnot,
    Bor,
    Bxor,
    Comparison,
    Div,
    Eq,
    Ge,
    Gt,
    Intconst,
    Land,
    Ldc,
    Ldca,
    Le,
    Literal,
    Lnot,
    LogicOp,
    Lor,
    Lshr,
    Lt,
    Mod,
    Mul,
    Ne,
    One,
    ShiftOp,
    Shl,
    Sub,
    UnaryOp,
    Void,
    Zero,
    const,
)
from relayish.core.ir.family import CoreNode, Definition, Expr, Stmt, Symbol, as_expr
from relayish.core.ir.language import CORE
from relayish.core.ir.memory import (
    Array,
    Idname,
    Ild,
    Ist,
    Ld,
    Lda,
    Ldf,
    Ldo,
    Ldp,
    Ldpf,
    St,
    Stf,
    Sto,
    Stp,
    Stpf,
)
from relayish.core.ir.stmt import (
    EMPTY,
    Block,
    Call,
    DoLoop,
    DoWhile,
    DumpVar,
    EndStmtList,
    Icall,
    If,
    Invalid,
    Pragma,
    Ret,
    Retv,
    TmStart,
    TmTaken,
    Validate,
    WhileDo,
)
from relayish.core.ir.symbol import Global, Preg, Var
from relayish.core.ir.type import Type, array, as_type, function, pointer, struct
from relayish.core.layout import Layout, layout_of
from relayish.core.verifier import VERIFY_RULES, Rule, Violation, check, verify

__all__ = _imported_names(__name__)

_set_finder(__name__)

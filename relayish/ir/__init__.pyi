# What type checkers see of relayish.ir beside its modules: the names that tvm.ir has.
# ruff: noqa: F401, I001 - one name for another

from relayish.ir.attrs import Attrs as Attrs
from relayish.ir.relay.expr import Call as Call
from relayish.ir.relay.adt import Constructor as Constructor
from relayish.ir.attrs import DictAttrs as DictAttrs
from relayish.ir.relay.type import FuncType as FuncType
from relayish.ir.relay.type import GlobalTypeVar as GlobalTypeVar
from relayish.ir.relay.expr import GlobalVar as GlobalVar
from relayish.ir.relay.global_var_supply import GlobalVarSupply as GlobalVarSupply
from relayish.ir.relay.module import IRModule as IRModule
from relayish.ir.relay.type import IncompleteType as IncompleteType
from relayish.ir.name_supply import NameSupply as NameSupply
from relayish.ir.node import Node as Node
from relayish.ir.relay.expr import Op as Op
from relayish.ir.relay.type import PrimExpr as PrimExpr
from relayish.ir.span import Span as Span
from relayish.ir.relay.type import TensorType as TensorType
from relayish.ir.relay.type import TupleType as TupleType
from relayish.ir.relay.type import Type as Type
from relayish.ir.relay.type import TypeCall as TypeCall
from relayish.ir.relay.type import TypeConstraint as TypeConstraint
from relayish.ir.relay.adt import TypeData as TypeData
from relayish.ir.relay.type import TypeKind as TypeKind
from relayish.ir.relay.type import TypeRelation as TypeRelation
from relayish.ir.relay.type import TypeVar as TypeVar
from relayish.ir.structural_equal import assert_structural_equal as assert_structural_equal
from relayish.ir.structural_equal import structural_equal as structural_equal
from relayish.ir.structural_hash import structural_hash as structural_hash
from relayish.ir import instrument as instrument
from relayish.ir import supply as supply
from relayish.ir import transform as transform
from relayish.ir.relay.expr import Expr as RelayExpr
from relayish.ir.relay.type import RefType as RelayRefType
from relayish.op import make_node as make_node
from relayish.op import register_op_attr as register_op_attr

"""Relay's functional IR, its functors and its pass infrastructure, in Python, with a compiled core.

``import relayish as relay`` reads as Relay reads. Every name is loaded from the module it lives in
when it is first asked for, so importing the package costs next to nothing. Names that are none of
relayish's own are those of operators: ``relay.add``, ``relay.nn``.
"""

from __future__ import annotations

# under other names: relay.Any is the dimension, and what dir() shows are names of relayish
import importlib as _importlib
import sys as _sys
import typing as _typing
from types import ModuleType as _ModuleType

_FACE: _typing.Final[dict[str, tuple[str, ...]]] = {
    "relayish.errors": (
        "AmbiguousNameError",
        "BinaryFormatError",
        "CheckError",
        "ConfigError",
        "ContradictionError",
        "DeclarationError",
        "DispatchError",
        "DrawingError",
        "DuplicateNameError",
        "EndlessRecursionError",
        "EvaluationError",
        "FieldError",
        "FieldIndexError",
        "FrozenNodeError",
        "GradientError",
        "IgnoredNameWarning",
        "OpCheckError",
        "OperatorError",
        "OptionError",
        "ParseError",
        "PassError",
        "PipelineError",
        "RelayishError",
        "RelayishWarning",
        "TypeInferenceError",
        "UndeclaredError",
        "UnknownKindError",
        "UnknownNameError",
        "UntypedError",
        "UnvisitedNodeError",
        "WellFormedError",
    ),
    "relayish._kernel": ("compiled",),
    "relayish.binary": ("read_binary", "write_binary"),
    "relayish.codegen.c.library": ("build",),
    "relayish.draw.drawing": ("Drawing", "draw"),
    "relayish.draw.report.recording": ("report",),
    "relayish.draw.report.report": ("Report",),
    "relayish.ir.relay.adt": (
        "Clause",
        "Constructor",
        "Match",
        "Pattern",
        "PatternConstructor",
        "PatternTuple",
        "PatternVar",
        "PatternWildcard",
        "TypeData",
    ),
    "relayish.ir.attributes.attrs": ("Attrs", "attrs"),
    "relayish.ir.attributes.dictionary": ("DictAttrs",),
    "relayish.ir.relay.build": ("const", "var"),
    "relayish.ir.relay.expr": (
        "Call",
        "Constant",
        "Expr",
        "Function",
        "GlobalVar",
        "If",
        "Let",
        "Op",
        "RefCreate",
        "RefRead",
        "RefWrite",
        "Tuple",
        "TupleGetItem",
        "Var",
    ),
    "relayish.ir.scopes.name_supply": ("NameSupply",),
    "relayish.ir.relay.global_var_supply": ("GlobalVarSupply",),
    "relayish.ir.relay.module": ("IRModule",),
    "relayish.ir.registration.declarations": ("declared_temporarily",),
    "relayish.ir.domains.domain": ("Domain", "get_domain", "list_domains"),
    "relayish.ir.fields.effect": ("Effect",),
    "relayish.ir.nodes.kind_table": ("KindTable",),
    "relayish.ir.domains.language": ("Language",),
    "relayish.ir.nodes.node": ("Node", "field", "node"),
    "relayish.ir.domains.property": ("Property",),
    "relayish.ir.fields.roles": ("Access", "Atom", "Role", "Runs"),
    "relayish.ir.nodes.origins": ("origin_of", "trace_origins"),
    "relayish.ir.nodes.span": ("Span",),
    "relayish.ir.modules.object_path": ("ObjectPath",),
    "relayish.ir.equality.structural_equal": (
        "StructuralMismatchError",
        "assert_structural_equal",
        "first_mismatch",
        "get_first_structural_mismatch",
        "structural_equal",
    ),
    "relayish.ir.equality.structural_hash": ("structural_hash",),
    "relayish.ir.relay.typed": ("type_of",),
    "relayish.ir.relay.type": (
        "Any",
        "FuncType",
        "GlobalTypeVar",
        "IncompleteType",
        "PrimExpr",
        "PrimOp",
        "RefType",
        "SizeVar",
        "TensorType",
        "TupleType",
        "Type",
        "TypeCall",
        "TypeConstraint",
        "TypeKind",
        "TypeRelation",
        "TypeVar",
        "scalar_type",
    ),
    "relayish.ir.relay.virtual_device": ("VirtualDevice",),
    "relayish.functor": (
        "ExprFunctor",
        "ExprMutator",
        "ExprRewriter",
        "ExprVisitor",
        "LetList",
        "LetListError",
        "Memoized",
        "MixedModeMutator",
        "MixedModeVisitor",
        "PatternFunctor",
        "PatternMutator",
        "PatternVisitor",
        "TypeFunctor",
        "TypeMutator",
        "TypeVisitor",
        "expand_a_normal_form",
        "memoized",
        "post_order_rewrite",
    ),
    "relayish.op.builders.outputs": ("TupleWrapper",),
    "relayish.op.declaration.registry": ("get_op", "list_ops", "register_op"),
    "relayish.text": ("a2b", "astext", "b2a", "fromtext", "parse", "parse_expr"),
    "relayish.frontend": ("ScopeBuilder", "load_param_dict", "save_param_dict"),
    "relayish.interpreter": ("create_executor", "evaluate"),
    "relayish.passes.relay.fold.bind": ("bind",),
    "relayish.transform": ("why_not",),
}
_MODULE_OF: _typing.Final = {name: module for module, names in _FACE.items() for name in names}
_PACKAGES: _typing.Final = (
    "analysis",
    "codegen",
    "core",
    "dataflow",
    "dataflow_pattern",
    "domain",
    "errors",
    "frontend",
    "functor",
    "interpreter",
    "ir",
    "onnx",
    "op",
    "parallel",
    "passes",
    "prelude",
    "testing",
    "text",
    "tir",
    "transform",
    "tvm",
)

__all__ = [  # noqa: PLE0604 - strings, every one
    *sorted((*_MODULE_OF, *_PACKAGES))
]


def __getattr__(name: str) -> _typing.Any:  # Any: whatever goes by the name
    if name in _PACKAGES:
        return _importlib.import_module(f"{__name__}.{name}")
    if name == "__version__":
        return _importlib.import_module("relayish._support.version").VERSION
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        found = _lookup(name)
    except AttributeError:
        near = _importlib.import_module("relayish.errors").suggest(name, __dir__())
        missing = _importlib.import_module("relayish._support.missing")
        return missing.find_missing(
            __name__, name, f"module {__name__!r} has no attribute and no operator {name!r}{near}"
        )
    if name in _MODULE_OF or name in _lasting_names():
        globals()[name] = found  # the next time the name is found without this function
    return found


def _text(thing: object) -> str:
    """Return what ``str`` shows of a program, without loading the printer any earlier."""
    astext: _typing.Callable[..., str] = _lookup("astext")
    return astext(thing, show_meta_data=False)


def _astext(thing: object, *options: object, **named: object) -> str:
    """Return what ``astext`` makes of a program, as above."""
    astext: _typing.Callable[..., str] = _lookup("astext")
    return astext(thing, *options, **named)


def _display(thing: object) -> dict[str, str]:
    """Return what a notebook shows of an object, as ``_support.hooks`` asks."""
    bundle: dict[str, str] = _importlib.import_module("relayish.draw.notebook.bundle").bundle_of(
        thing
    )
    return bundle


def _load_operators() -> None:
    """Let Python's operators on expressions find those of relayish."""
    _importlib.import_module("relayish.op")


def _load_passes_of_qnn() -> object:
    """Return what ``relay.qnn.transform`` is."""
    return _importlib.import_module("relayish.transform.qnn")


def _load_loops() -> None:
    """Let readers of text know the loop IR."""
    _importlib.import_module("relayish.tir")


def _build_loops(program: object, *, target: str, **options: object) -> object:
    """Compile functions of the loop IR, as ``_support.hooks`` asks."""
    return _importlib.import_module("relayish.codegen.targets").build(program, target, **options)


def _tune_loops(func: object, options: object) -> object:
    """Search for a schedule of a function of the loop IR, as ``_support.hooks`` asks."""
    return _importlib.import_module("relayish.tuning.search").search(func, options)


def _build_executor(mod: object, params: object, **options: object) -> object:
    """Return what compiles functions of a module, as ``_support.hooks`` asks."""
    return _importlib.import_module("relayish.codegen.c.aot_executor").AotExecutor(
        mod, params, **options
    )


def _build_core(mod: object, **options: object) -> object:
    """Compile a module of core, as ``_support.hooks`` asks."""
    return _importlib.import_module("relayish.codegen.c.core.native").build(mod, **options)


def _load_core() -> None:
    """Let readers of text know core."""
    _importlib.import_module("relayish.core")


def _declare_of_onnx(domain: str, name: str) -> None:
    """Let readers of text and of files know an operator of ONNX."""
    _importlib.import_module("relayish.onnx.operators").declare_named(domain, name)


def _load_onnx() -> None:
    """Let readers of text and of files know the types of ONNX."""
    _importlib.import_module("relayish.onnx.operators")
    _importlib.import_module("relayish.onnx.types")


def _load_of_user(name: str) -> object:
    """Import a file of Python, or a package, for what it registers."""
    return _importlib.import_module("relayish.cli.loading").load(name)


def _load_targets() -> None:
    """Let readers of files know targets."""
    _importlib.import_module("relayish.tvm.target")


def _other_name(module: str, name: str) -> object:
    """Return what stands for a name that a module lacks, or says what to write instead."""
    return _importlib.import_module("relayish.tvm.absent_names").other_name(module, name)


def _absent_members(name: str) -> _typing.Mapping[str, str]:
    """Return what to write instead of members that a class of that name lacks."""
    found: _typing.Mapping[str, str]
    found = _importlib.import_module("relayish.tvm.absent_members").MEMBERS.get(name, {})
    return found


def _load_passes() -> None:
    """Let passes be found by name."""
    _importlib.import_module("relayish.transform")


def _load_analyses() -> None:
    """Let analyses of all languages be found by name."""
    _importlib.import_module("relayish.analysis")
    _importlib.import_module("relayish.interpreter.constants")
    _importlib.import_module("relayish.tir.analysis")
    _importlib.import_module("relayish.passes.core.lowering.values")


_HANDLERS: _typing.Final = {
    "evaluate": (
        "relayish.interpreter.foreign",
        "relayish.tir.foreign_calls",
        "relayish.core.foreign_calls",
    ),
    "lower": (
        "relayish.passes.relay.lowering.image",
        "relayish.passes.relay.lowering.nn.handler",
        "relayish.passes.relay.lowering.relay",
        "relayish.passes.relay.lowering.vision.handler",
    ),
    "lower_to_loops": ("relayish.passes.core.lowering.lower",),
    "simplify": (
        "relayish.passes.utility.simplify_domains",
        "relayish.core",
        "relayish.tir.algebra",
    ),
    "c": ("relayish.codegen.c.loops.statements", "relayish.codegen.c.core.statements"),
    "loops": (
        "relayish.passes.relay.to_loops.detection",
        "relayish.passes.relay.to_loops.domains_without_loops",
        "relayish.passes.relay.to_loops.handler",
        "relayish.passes.relay.to_loops.marks",
        "relayish.passes.relay.to_loops.networks",
        "relayish.passes.relay.to_loops.quantised",
        "relayish.passes.relay.to_loops.resizing",
    ),
    "verify": ("relayish.analysis.verification", "relayish.tir.verifier", "relayish.core"),
}
"""By task, what registers the rules, or handlers, of relayish's own domains."""


def _load_handlers(task: str) -> None:
    """Let visitors of all domains be assembled for a task, as ``_support.hooks`` asks."""
    for module in _HANDLERS.get(task, ()):
        _importlib.import_module(module)


def _lasting_names() -> frozenset[str]:
    """Return the names of operators, and of families of these, that the library declares."""
    names: frozenset[str] = _importlib.import_module("relayish.op.builders.temporary").LASTING
    return names


def _lookup(name: str) -> _typing.Any:  # Any: as above
    if name in _MODULE_OF:
        return getattr(_importlib.import_module(_MODULE_OF[name]), name)
    return getattr(_importlib.import_module("relayish.op"), name)


def __dir__() -> list[str]:
    operators = _importlib.import_module("relayish.op")
    return sorted({*__all__, *(name for name in dir(operators) if not name.startswith("_"))})


class _Missing:
    """A finder, which is asked last: says what to write instead of a module that is not there.

    The compiled core is asked for where it was not built, too, and nothing is to be said of it.
    """

    @staticmethod
    def find_spec(fullname: str, *_: object) -> None:
        if fullname.startswith(f"{__name__}.") and not fullname.endswith("._compiled"):
            _importlib.import_module("relayish._support.missing").refuse_import(fullname)


_sys.meta_path.append(_Missing)  # type: ignore[arg-type]  # a finder by what it does


class _Face(_ModuleType):
    """The package, whose names stay what they are when modules in it that are called so are loaded.

    ``relay.draw`` is a function; the package ``relayish.draw`` is found by the import system.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if name not in _MODULE_OF or not isinstance(value, _ModuleType):
            super().__setattr__(name, value)


_sys.modules[__name__].__class__ = _Face

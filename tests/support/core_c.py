"""Programs of core as C, which a compiler and the machine evaluate: an oracle of another make.

``run_as_c(programs)`` gives, for each module and the arguments of its ``main``, what that returns
and what the variables of the module hold afterwards, as bytes. The translation is naive: every
operator is cast to its type, every address is a ``char *``. It knows what ``random_core_program``
makes.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from relayish import core
from relayish.core import Type
from relayish.ir.relay.module import IRModule

COMPILER = shutil.which("cc")

_FLAGS = ["-std=gnu11", "-O1", "-w", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off", "-lm"]

_HEAD = """
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
static void show(const char *name, const void *at, int size) {
  printf("%s ", name);
  for (int i = 0; i < size; i++) printf("%02x", ((const unsigned char *)at)[i]);
  printf("\\n");
}
"""

_NAMES = {"float32": "float", "float64": "double", "bool": "bool", "void": "void"}
_SIGNS = {core.Add: "+", core.Sub: "-", core.Mul: "*", core.Div: "/", core.Mod: "%", core.Shl: "<<"}
_SIGNS |= {core.Band: "&", core.Bor: "|", core.Bxor: "^", core.Land: "&", core.Lor: "|"}
_SIGNS |= {core.Eq: "==", core.Ne: "!=", core.Lt: "<", core.Le: "<=", core.Gt: ">", core.Ge: ">="}


def run_as_c(programs: Sequence[tuple[IRModule, Sequence[Any]]]) -> list[dict[str, bytes]]:
    """Return for each program the bytes of its variables, and under ``""`` those of the result."""
    assert COMPILER is not None
    parts = [_Program(number, mod, args) for number, (mod, args) in enumerate(programs)]
    calls = "\n".join([f"  run{part.number}();" for part in parts])
    source = "\n".join([_HEAD, *[part.source() for part in parts], f"int main() {{\n{calls}\n}}\n"])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "programs.c"
        file.write_text(source)
        binary = file.with_suffix("")
        subprocess.run([COMPILER, str(file), "-o", str(binary), *_FLAGS], check=True)
        lines = subprocess.run([str(binary)], check=True, capture_output=True, text=True).stdout
    found: list[dict[str, bytes]] = []
    for line in lines.splitlines():
        if line == "begin":
            found.append({})
        else:
            name, _, data = line.partition(" ")
            found[-1][name.removeprefix("@")] = bytes.fromhex(data)
    return found


class _Program:
    """One module; its names end in its number."""

    def __init__(self, number: int, mod: IRModule, args: Sequence[Any]) -> None:
        self.number = number
        self.args = args
        self.definitions = {mod.name_of(key): each for key, each in mod.functions.items()}
        self.names: dict[Any, str] = {}

    def of(self, kind: type) -> dict[str, Any]:
        return {n: each for n, each in self.definitions.items() if isinstance(each, kind)}

    def source(self) -> str:
        lines = []
        for name, each in self.of(core.StructDef).items():
            fields = " ".join([f"{self.declare(t, n)};" for n, t in each.fields])
            lines.append(f"struct {name}{self.number} {{ {fields} }};")
        for name, each in self.of(core.GlobalVariable).items():
            lines.append(f"static {self.declare(each.type, self.name(name))}{self.init(each)};")
        functions = self.of(core.FuncEntry)
        lines += [f"static {self.head(n, f)};" for n, f in functions.items()]
        for name, func in functions.items():
            held = [f"  {self.declare(each.type, self.symbol(each))};" for each in func.locals]
            held += [f"  {self.declare(each.type, self.symbol(each))};" for each in func.pregs]
            body = self.stmt(func.body)
            lines += [f"static {self.head(name, func)} {{", *held, body, "}"]
        given = zip(_params(functions), self.args, strict=True)
        args = ", ".join([f"({self.type(p)}){a}" for p, a in given])
        result = self.type(functions["main"].result)
        lines += [f"void run{self.number}() {{", '  printf("begin\\n");']
        lines += [f"  {result} r = {self.name('main')}({args});", '  show("@", &r, sizeof r);']
        for name in self.of(core.GlobalVariable):
            held = self.name(name)
            lines.append(f'  show("@{name}", &{held}, sizeof {held});')
        return "\n".join([*lines, "}"])

    def init(self, variable: core.GlobalVariable) -> str:
        value: Any = variable.init
        if value is None:
            return ""
        data = value.constant.data if isinstance(value, core.Ldc) else None
        if isinstance(data, np.ndarray):
            return f" = {{{', '.join(map(str, data.tolist()))}}}"
        return f" = {self.expr(value)}"

    def name(self, name: str) -> str:
        return f"{name}_{self.number}"

    def symbol(self, symbol: Any) -> str:
        if isinstance(symbol, core.Global):
            return self.name(symbol.name)
        return self.names.setdefault(symbol, f"v{len(self.names)}_{self.number}")

    def type(self, held: Type) -> str:
        if held.is_pointer:
            return "char *"
        if held.is_struct:
            return f"struct {held.struct_name}{self.number}"
        return _NAMES.get(str(held), f"{held}_t")

    def declare(self, held: Type, name: str) -> str:
        if held.is_array:
            return f"{self.type(held.element)} {name}[{held.shape[0]}]"
        return f"{self.type(held)} {name}"

    def head(self, name: str, func: core.FuncEntry) -> str:
        params = ", ".join([self.declare(p.type, self.symbol(p)) for p in func.formals])
        return f"{self.type(func.result)} {self.name(name)}({params or 'void'})"

    # Statements

    def stmt(self, node: Any) -> str:
        e, s = self.expr, self.symbol
        match node:
            case core.Block():
                return "{\n" + "\n".join([self.stmt(each) for each in node.stmts]) + "\n}"
            case core.If():
                arms = f"{self.stmt(node.then_block)} else {self.stmt(node.else_block)}"
                return f"if ({e(node.condition)}) {arms}"
            case core.DoLoop():
                head = f"{s(node.iv)} = {e(node.init)}; {e(node.compare)};"
                return f"for ({head} {s(node.iv)} = {e(node.increment)}) {self.stmt(node.body)}"
            case core.WhileDo():
                return f"while ({e(node.condition)}) {self.stmt(node.body)}"
            case core.DoWhile():
                return f"do {self.stmt(node.body)} while ({e(node.condition)});"
            case core.St() | core.Stp():
                symbol = node.symbol if isinstance(node, core.St) else node.preg
                if symbol.type.is_array or isinstance(node.value, core.Zero):
                    return f"memset(&{s(symbol)}, 0, sizeof {s(symbol)});"
                return f"{s(symbol)} = {e(node.value)};"
            case core.Stf() | core.Stpf():
                symbol = node.symbol if isinstance(node, core.Stf) else node.preg
                return f"{s(symbol)}.{node.field_name} = {e(node.value)};"
            case core.Sto():
                at = f"((char *)&{s(node.symbol)} + {node.offset})"
                return f"*({self.type(node.value.type)} *){at} = {e(node.value)};"
            case core.Ist():
                return f"*({self.type(node.value.type)} *){e(node.address)} = {e(node.value)};"
            case core.Call():
                return self.call(node, self.name(node.entry.name))
            case core.Icall():
                held = node.address.type.pointee
                params = ", ".join(map(self.type, held.params)) or "void"
                pointer = f"(({self.type(held.result)} (*)({params})){e(node.address)})"
                return self.call(node, pointer)
            case core.Ret():
                return "return;"
            case core.Retv():
                return f"return {e(node.value)};"
            case core.Pragma() | core.EndStmtList():
                return ";"
        raise AssertionError(node)

    def call(self, node: core.Call | core.Icall, callee: str) -> str:
        made = f"{callee}({', '.join(map(self.expr, node.args))});"
        return made if node.result is None else f"{self.symbol(node.result)} = {made}"

    # Expressions

    def expr(self, node: Any) -> str:
        held = node.type
        return f"(({self.type(held)})({self.value(node)}))" if held.is_scalar else self.value(node)

    def value(self, node: Any) -> str:
        s = self.symbol
        match node:
            case core.Intconst():
                return _spell(node.value)
            case core.Zero():
                return "0" if node.rtype.is_scalar else f"({self.type(node.rtype)}){{0}}"
            case core.One():
                return "1"
            case core.Ldc():
                data = node.constant.data
                return float(data).hex() if node.type.is_float else _spell(int(data))
            case core.Ld():
                return s(node.symbol)
            case core.Ldp():
                return s(node.preg)
            case core.Ldf():
                return f"{s(node.symbol)}.{node.field_name}"
            case core.Ldpf():
                return f"{s(node.preg)}.{node.field_name}"
            case core.Ldo():
                return f"*({self.type(node.type)} *)((char *)&{s(node.symbol)} + {node.offset})"
            case core.Ild():
                return f"*({self.type(node.type)} *){self.expr(node.address)}"
            case core.Lda():
                is_function = node.symbol.type.is_function
                return f"(char *){'' if is_function else '&'}{s(node.symbol)}"
            case core.Array():
                [index] = node.indices
                element = self.type(node.type.pointee)
                return f"(({element} *){self.expr(node.address)}) + {self.expr(index)}"
            case core.Ashr() | core.Lshr():
                bits = node.type.bits
                sign = "int" if isinstance(node, core.Ashr) else "uint"
                return f"({sign}{bits}_t){self.expr(node.a)} >> {self.expr(node.b)}"
            case core.Bnot():
                return f"~{self.expr(node.a)}"
            case core.Lnot():
                return f"!{self.expr(node.a)}"
        return f"{self.expr(node.a)} {_SIGNS[type(node)]} {self.expr(node.b)}"


def _params(functions: dict[str, Any]) -> list[Type]:
    return [formal.type for formal in functions["main"].formals]


def _spell(value: int) -> str:
    return f"{value}u" if value >= 1 << 63 else f"({value}ll)"

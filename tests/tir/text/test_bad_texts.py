"""Texts that are none: each one error, which says where, what was found, and what to do."""

from __future__ import annotations

import pytest

from relayish import tir
from relayish.errors import FieldError, ParseError
from tests.support.each import each

BAD_TEXTS: dict[str, tuple[str, str]] = {
    "nothing": (
        "",
        "1:1: expected a function, a statement or an expression; found no program",
    ),
    "only comment": (
        "// nothing",
        "1:1: expected a function, a statement or an expression; found no program",
    ),
    "unclosed paren": (
        "(a + b",
        "1:7: expected an operator or ')' behind an operand; found the end of the text",
    ),
    "unknown sign": (
        "(a & b)",
        "1:4: expected an operator or ')' behind an operand; found '&'",
    ),
    "assignment in expression": (
        "(a = b)",
        "1:4: expected an operator or ')' behind an operand; found '='",
    ),
    "three subtractions": (
        "(a - b - c)",
        (
            "1:8: expected ')' behind the second operand; found '-': only sums and products "
            "have more operands than two; put (a - b) into parentheses of its own"
        ),
    ),
    "mixed signs": (
        "(a + b * c)",
        (
            "1:8: expected ')' behind the second operand; found '*': only sums and products "
            "have more operands than two; put (a + b) into parentheses of its own"
        ),
    ),
    "no parentheses": (
        "A[i] = a + b",
        (
            "1:10: expected the end of the program; found '+'; an operation stands in "
            "parentheses, (a + b)"
        ),
    ),
    "negative": (
        "(a + -b)",
        "1:6: expected an operand; found '-b)'; the negative of an expression is written -(x)",
    ),
    "operator first": (
        "+ a",
        (
            "1:1: expected a function, a statement or an expression; found '+'; an operator "
            "stands between two operands, (a + b)"
        ),
    ),
    "missing operand": (
        "(a + )",
        "1:6: expected an operand; found ')'",
    ),
    "unclosed call": (
        "f(a, b",
        "1:7: expected ')' or ',' behind an argument; found the end of the text",
    ),
    "unclosed index": (
        "A[i = 3",
        "1:5: expected ']' or ',' behind an index; found '='",
    ),
    "min of three": (
        "cinn_min(a, b, c)",
        "1:1: cinn_min(a, b) has 2 operands; found 3",
    ),
    "cast of two": (
        "float32(a, b)",
        "1:1: float32(...) has 1 operand; found 2",
    ),
    "select of two": (
        "select(c, a)",
        "1:12: expected ',' in select(condition, a, b); found ')'",
    ),
    "ramp lanes": (
        "Ramp(a,1,n)",
        "1:10: expected the number of lanes and ')' in Ramp(base,stride,lanes); found 'n)'",
    ),
    "broadcast lanes": (
        "Broadcast(a)",
        "1:12: expected ',' in Broadcast(value,lanes); found ')'",
    ),
    "reduce kind": (
        "Reduce(plus, a,b)",
        (
            "1:8: expected the kind of a reduction, one of sum, sub, Mul, Div, Max, Min, &&, "
            "||; found 'plus,'"
        ),
    ),
    "reduce without init": (
        "Reduce(sum, a)",
        "1:14: expected ',' in Reduce(kind, body,init); found ')'",
    ),
    "number suffix": (
        "7u",
        "1:1: 'u' is no suffix of an integer, which is ll and ull: 7, 7ll, 7ull, 7.0f, 7.0",
    ),
    "float suffix": (
        "1.5ll",
        (
            "1:1: 'll' is no suffix of a number with a fraction, which is f alone: 7, 7ll, "
            "7ull, 7.0f, 7.0"
        ),
    ),
    "int out of range": (
        "99999999999",
        (
            "1:1: 99999999999 is out of range of int32, -2147483648 to 2147483647; write 7ll "
            "for an int64"
        ),
    ),
    "int8 out of range": (
        "(int8_t)300",
        "1:1: 300 is out of range of int8, -128 to 127",
    ),
    "no type": (
        "(foo_t)3",
        (
            "1:1: (foo_t) stands before a number, but is no type; numbers of 8 and 16 bits are "
            "written (int8_t)3, (uint16_t)3, (float16)0.5f"
        ),
    ),
    "type of very many bits": (
        "(int99999999999_t)3",
        (
            "1:1: (int99999999999_t) stands before a number, but is no type; numbers of 8 and 16 "
            "bits are written (int8_t)3, (uint16_t)3, (float16)0.5f"
        ),
    ),
    "float out of range": (
        "1e99f",
        "1:1: 1e99 is out of range of float32; write inf for infinity",
    ),
    "unclosed block": (
        "{\n  A[i] = 1.0f\n",
        "1:1: this block is not closed; end it with '}'",
    ),
    "expression in block": (
        "{\n  (a + b)\n}",
        (
            "2:3: expected a statement or '}' in a block; found an Add, which only has a "
            "value; store it, A[i] = ..., or leave it out"
        ),
    ),
    "loop without body": (
        "serial for (i, 0, 4)",
        "1:21: expected a statement as the body of a loop; found the end of the text",
    ),
    "loop of two": (
        "serial for (i, 4)\n{\n}",
        "1:17: expected ',' in for (i, first, extent); found ')'",
    ),
    "loop variable": (
        "serial for (3, 0, 4)\n{\n}",
        "1:13: expected the variable of a loop; found '3,'",
    ),
    "unknown axis": (
        "thread_bind[warpIdx.x] for (i, 0, 4)\n{\n}",
        (
            "1:1: expected an index of the device in thread_bind[...]: blockIdx or threadIdx, "
            "then .x, .y or .z"
        ),
    ),
    "vectorize": (
        "vectorize[n] for (i, 0, 4)\n{\n}",
        "1:1: expected the number of lanes in vectorize[16]",
    ),
    "if of two": (
        "if ((a < b)) {\n  A[0] = 1.0f\n  A[1] = 1.0f\n}",
        (
            "3:3: expected '}' behind the then case of an if; found 'A[1]': it is one "
            "statement; put several into braces of their own"
        ),
    ),
    "if without braces": (
        "if ((a < b)) A[0] = 1.0f",
        "1:14: expected '{' before the then case of an if; found 'A[0]'",
    ),
    "block of two": (
        "ScheduleBlock(B)\n{\n  A[0] = 1.0f\n  A[1] = 1.0f\n}",
        (
            "4:3: expected '}' behind the body of ScheduleBlock(B); found 'A[1]': it is one "
            "statement; put several into braces of their own"
        ),
    ),
    "buffers twice": (
        (
            "ScheduleBlock(B)\n{\n  read_buffers(_A[i(0:4)])\n  read_buffers(_A[i(0:4)])\n  "
            "A[0] = 1.0f\n}"
        ),
        (
            "4:3: read_buffers stands here twice, or behind write_buffers; write "
            "read_buffers(...) and then write_buffers(...), each once"
        ),
    ),
    "no range": (
        "ScheduleBlock(B)\n{\n  read_buffers(A[i])\n  A[0] = 1.0f\n}",
        (
            "3:16: expected a range of a buffer in read_buffers(...), such as _A[i(0:16)]; "
            "found a Load; names of buffers begin with _, unless the section declares them"
        ),
    ),
    "range without bounds": (
        "_A[i]",
        "1:5: expected '(' behind the variable of a range of a buffer, i(0:16); found ']'",
    ),
    "range of one bound": (
        "_A[i(0)]",
        "1:7: expected ':' between the bounds of a range, i(0:16); found ')]'",
    ),
    "attribute": (
        "ScheduleBlock(B)\n{\n  attrs(key=1)\n  A[0] = 1.0f\n}",
        "3:9: expected an attribute such as key:1, key:a_name or key:\"text\"; found 'key=1)'",
    ),
    "attribute twice": (
        "ScheduleBlock(B)\n{\n  attrs(key:1, key:2)\n  A[0] = 1.0f\n}",
        "3:16: attribute key is given twice; leave one out",
    ),
    "two programs": (
        "A[0] = 1.0f\nA[1] = 1.0f",
        "2:1: expected the end of the program; found 'A[1]'; put several statements into braces",
    ),
    "rest of expression": (
        "a b c",
        "1:3: expected the end of the program; found 'b'; put several statements into braces",
    ),
    "two functions": (
        "function f ()\n{\n}\nfunction g ()\n{\n}",
        (
            "4:1: expected the end of the program; found 'function'; one function is read "
            "here; put several into 'Module m { ... }'"
        ),
    ),
    "unknown variable": (
        "function f (n, _A)\n{\n  A[m] = 1.0f\n}",
        (
            "3:5: unknown variable m; known here are n, _A, A; bind it, or declare it in the "
            "section, 'var m: int32'"
        ),
    ),
    "module of statement": (
        "Module m {\n  A[0] = 1.0f\n}",
        "2:3: expected a function, or '}', in a module; found 'A[0]'",
    ),
    "function argument": (
        "function f (3)\n{\n}",
        "1:13: expected an argument of a function, a variable or a buffer; found '3)'",
    ),
    "shape not told": (
        "A[i] = 1.0f",
        (
            "1:1: the shape of tensor A cannot be told, for its uses do not tell; add a "
            "section, a line '#[details]' and then a line 'tensor A: float32[16]' with its "
            "type and shape"
        ),
    ),
    "buffer not told": (
        "function f (_A)\n{\n}",
        (
            "1:13: the shape and the type of buffer _A cannot be told, for no tensor A is "
            "used; add a section, a line '#[details]' and then a line 'buffer _A: float32[16]' "
            "with its type and shape"
        ),
    ),
    "rank differs": (
        "serial for (i, 0, 4)\n{\n  A[i] = A[i, i]\n}",
        (
            "3:3: tensor A is used with ranks of 1 and 2; give it as many indices as it has "
            "dimensions everywhere, or two names"
        ),
    ),
    "used as two types": (
        "serial for (i, 0, 4)\n{\n  A[i] = (B[i] + int64(i))\n  A[i] = 1.0f\n}",
        (
            "3:3: the elements of tensor A are used as int64 and as float32; declare its type "
            "in the section, 'tensor A: float32[16]'"
        ),
    ),
    "buffer of new_": (
        "cinn_buffer_t::new_()",
        (
            "1:1: cinn_buffer_t::new_() does not tell which buffer it makes; say it in the "
            "section, '1:1: buffer=_A'"
        ),
    ),
    "array of args": (
        "cinn_args_construct(a)",
        (
            "1:1: cinn_args_construct(...) does not tell the array it fills; say it in the "
            "section, '1:1: var=x'"
        ),
    ),
    "unknown node": (
        "%3",
        (
            "1:1: unknown node %3; the section has a line '%3 = ...' for each, before those "
            "that use it"
        ),
    ),
    "unclosed comment": (
        "/* a",
        "1:1: this comment is not closed; end it with */",
    ),
    "name of tensor as buffer": (
        "alloc(A)\n#[details]\ntensor A: float32[4]\nx",
        (
            "4:1: expected a line of the section: 'tensor A: float32[16]', 'buffer _A: "
            "float32[16]', 'var n: int64', 'each i: int64', '%0 = ...' or '3:5: key=value'; "
            "found 'x'"
        ),
    ),
    "section line": (
        "a\n\n#[details]\nfoo A: float32[4]",
        (
            "4:1: expected a line of the section: 'tensor A: float32[16]', 'buffer _A: "
            "float32[16]', 'var n: int64', 'each i: int64', '%0 = ...' or '3:5: key=value'; "
            "found 'foo'"
        ),
    ),
    "indented line of the section": (
        "a\n\n#[details]\n  foo\nvar a: int64",
        (
            "4:3: expected a line of the section: 'tensor A: float32[16]', 'buffer _A: "
            "float32[16]', 'var n: int64', 'each i: int64', '%0 = ...' or '3:5: key=value'; "
            "found 'foo'"
        ),
    ),
    "indented line alone": (
        "a\n\n#[details]\n  foo",
        (
            "4:3: expected a line of the section: 'tensor A: float32[16]', 'buffer _A: "
            "float32[16]', 'var n: int64', 'each i: int64', '%0 = ...' or '3:5: key=value'; "
            "found 'foo'"
        ),
    ),
    "indented line about a function": (
        "function f ()\n{\n}\n\n#[details]\nfunction f:\n  foo",
        (
            "7:3: expected a line of the section: 'tensor A: float32[16]', 'buffer _A: "
            "float32[16]', 'var n: int64', 'each i: int64', '%0 = ...' or '3:5: key=value'; "
            "found 'foo'"
        ),
    ),
    "tensor without shape": (
        "A[0]\n\n#[details]\ntensor A: float32",
        "4:18: expected the shape of tensor A, 'float32[16]'; found the end of the text",
    ),
    "scalar with shape": (
        "n\n\n#[details]\nvar n: int64[4]",
        "4:13: var n is a scalar and has no shape; leave it out",
    ),
    "declared twice": (
        "n\n\n#[details]\nvar n: int64\nvar n: int32",
        "5:5: n is declared twice; leave one out",
    ),
    "unknown detail of tensor": (
        'A[0]\n\n#[details]\ntensor A: float32[4], scope="x"',
        "4:8: unknown detail of a tensor: scope",
    ),
    "unknown detail of variable": (
        'n\n\n#[details]\nvar n: int64, taag="x"',
        "4:5: unknown detail of a variable: taag",
    ),
    "memory type": (
        "free(_A)\n\n#[details]\nbuffer _A: float32[4], memory_type=stak",
        (
            "4:36: unknown MemoryType stak; did you mean stack?; there are auto, heap, stack, "
            "gpu_shared, gpu_local"
        ),
    ),
    "place not there": (
        "a\n\n#[details]\n7:1: kind=sum",
        "4:1: the section speaks of line 7; there are 4",
    ),
    "place in section": (
        "a\n\n#[details]\n4:1: kind=sum",
        "4:1: the section speaks of 4:1, which does not stand before it",
    ),
    "place of nothing": (
        "(a + b)\n\n#[details]\n1:2: kind=sum",
        (
            "1:2: the section speaks of 1:2, where no node begins that has details; correct "
            "the place"
        ),
    ),
    "place twice": (
        "(a + b)\n\n#[details]\n1:1: kind=sum\n1:1: kind=sum",
        "5:1: the section speaks of 1:1 twice; join them",
    ),
    "wrong kind": (
        "(a + b)\n\n#[details]\n1:1: kind=frac_op",
        "1:1: kind=frac_op is said of an operator that is none of that kind",
    ),
    "wrong detail": (
        "(a + b)\n\n#[details]\n1:1: axes=[i]",
        (
            "1:1: the section says axes= of 1:1, where an operator stands, which has no such "
            "detail; leave it out, or correct the place"
        ),
    ),
    "detail of loop": (
        "serial for (i, 0, 4)\n{\n}\n\n#[details]\n1:1: colour=3",
        (
            "1:1: the section says colour= of 1:1, where a loop stands, which has no such "
            "detail; leave it out, or correct the place"
        ),
    ),
    "flags": (
        "serial for (i, 0, 4)\n{\n}\n\n#[details]\n1:1: for_type=999",
        "1:1: for_type= is a sum of flags, 0 to 127; found 999",
    ),
    "device": (
        "serial for (i, 0, 4)\n{\n}\n\n#[details]\n1:1: device_api=cudda",
        (
            "6:17: unknown DeviceAPI cudda; did you mean cuda?; there are unk, host, gpu, "
            "cuda, opencl"
        ),
    ),
    "call type": (
        "f()\n\n#[details]\n1:1: call_type=exterm",
        (
            "4:16: unknown CallType exterm; did you mean extern?; there are extern, cinn, "
            "intrinsic, isl"
        ),
    ),
    "writes": (
        "f(a)\n\n#[details]\n1:1: writes=3",
        "1:1: writes= is the number of arguments that are written; found 3",
    ),
    "groups": (
        "f(a)\n\n#[details]\n1:1: kind=primitive_node, groups=[2]",
        "1:1: groups= gives the size of each group of arguments, 1 in all; found (2,)",
    ),
    "value": (
        "f(a)\n\n#[details]\n1:1: value_index=",
        (
            '4:18: expected a value such as 7, 1.5f, true, "text", [1, 2] or a name; found '
            "the end of the text"
        ),
    ),
    "detail twice": (
        "f(a)\n\n#[details]\n1:1: writes=0, writes=1",
        "4:16: writes is given twice; leave one out",
    ),
    "rest of line": (
        "f(a)\n\n#[details]\n1:1: writes=0 x",
        "4:15: expected ',' or the end of the line; found 'x'",
    ),
    "node twice": (
        "%0\n\n#[details]\n%0 = a\n%0 = b",
        "5:1: %0 is defined twice; number them anew",
    ),
    "node later": (
        "%0\n\n#[details]\n%0 = (%1 + a)\n%1 = b",
        (
            "4:7: unknown node %1; the section has a line '%1 = ...' for each, before those "
            "that use it"
        ),
    ),
    "unknown function": (
        "function f ()\n{\n}\n\n#[details]\nfunction g:\nvar n: int64",
        "6:12: the section speaks of function g, which is not there",
    ),
    "operation field": (
        "placeholder_op(shap=[4])",
        "1:16: unknown field of placeholder_op: shap; did you mean shape?",
    ),
    "operation lacks": (
        "placeholder_op(dtype=int8)",
        "1:1: placeholder_op lacks its field shape; write shape=...",
    ),
    "target": (
        "Module m {\n\n\n}\n\n#[details]\n1:1: target=Target<linus,x86,64>",
        "7:20: unknown operating system of a target: linus; did you mean linux?",
    ),
    "string": (
        '"abc',
        (
            "1:1: expected a function, a statement or an expression; found '\"abc'; this "
            "string is not closed on its line: end it with '\"'"
        ),
    ),
    "bare sum": (
        "a + b",
        (
            "1:3: expected the end of the program; found '+'; an operation stands in "
            "parentheses, (a + b)"
        ),
    ),
}


@each("name", BAD_TEXTS)
def test_bad_text_is_one_error_that_tells_where_what_and_what_to_do(name: str) -> None:
    text, message = BAD_TEXTS[name]
    with pytest.raises(ParseError) as caught:
        tir.parse(text, "loops.tir")
    assert str(caught.value).partition("\n")[0] == f"loops.tir:{message}"


def test_error_shows_the_line_and_points_into_it() -> None:
    with pytest.raises(ParseError) as caught:
        tir.parse("serial for (i, 0, 4)\n{\n  A[i] = (B[i] ^ 1)\n}", "loops.tir")
    assert str(caught.value) == (
        "loops.tir:3:16: expected an operator or ')' behind an operand; found '^'\n"
        "    A[i] = (B[i] ^ 1)\n"
        "                 ^"
    )


def test_what_is_no_string_is_refused() -> None:
    with pytest.raises(FieldError, match=r"are read from a str; found bytes; decode bytes first"):
        tir.parse(b"a")


def test_what_is_no_node_has_no_text() -> None:
    with pytest.raises(FieldError, match=r"3 \(int\) is no node of the loop IR"):
        tir.astext(3)


def test_attribute_without_a_text_is_refused_but_shown() -> None:
    call = tir.Call("float32", "f", attrs={"odd": object})
    with pytest.raises(FieldError, match=r"has no text in programs of loops"):
        tir.astext(call)
    assert str(call) == "f()"

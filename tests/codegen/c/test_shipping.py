"""Networks as files of C: compiled and run without Python, and what is said when they cannot."""

import re
import subprocess

import numpy as np
import pytest

import relayish as relay
from relayish.codegen.c import Weights, ship
from relayish.codegen.c.executor import network_of
from relayish.codegen.c.network import lower_network, order_calls
from relayish.codegen.c.toolchain import find_toolchain
from relayish.errors import CodegenError, OptionError, RelayishError
from relayish.ir.values.dtype import numpy_dtype
from tests.support.compiled_networks import random_network
from tests.support.each import each
from tests.support.seeds import seeds

STRICT = ("-std=c11", "-O1", "-Wall", "-Wextra", "-pedantic", "-Werror")
CHECKED = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")


def network(rows=2, dtype="float32", name="x"):
    x = relay.var(name, shape=(rows, 60), dtype=dtype)
    generator = np.random.default_rng(3)
    w, b = (relay.const(generator.normal(size=size).astype(dtype)) for size in ((50, 60), (50,)))
    hidden = relay.nn.relu(relay.nn.dense(x, w) + b)
    body = relay.Tuple([relay.nn.softmax(hidden), relay.cast(relay.argmax(hidden, 1), "int8")])
    return relay.transform.InferType()(relay.IRModule.from_expr(relay.Function([x], body)))


def write(files, folder):
    folder.mkdir(exist_ok=True)
    for name, held in files.items():
        (folder / name).write_bytes(held)
    return [str(folder / name) for name in files if name.endswith(".c")]


def compile_files(sources, program, flags=STRICT):
    command = [*find_toolchain().command, *flags, *sources, "-o", str(program), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return program


def call(program, *words, folder):
    return subprocess.run(
        [str(program), *map(str, words)], capture_output=True, text=True, check=False, cwd=folder
    )


@pytest.mark.slow("compiles a network five times, with sanitizers")
@each(
    ("options", "expected"),
    [
        ({}, ["net.c", "net.h", "main.c"]),
        ({"malloc": False}, ["net.c", "net.h", "main.c"]),
        ({"weights": Weights.BINARY}, ["net.bin", "net.c", "net.h", "main.c"]),
        ({"weights": Weights.BINARY, "malloc": False}, ["net.bin", "net.c", "net.h", "main.c"]),
        ({"single_file": True}, ["net.c"]),
    ],
)
def test_a_network_runs_without_python(options, expected, tmp_path_factory):
    folder = tmp_path_factory.mktemp("net")
    mod = network()
    files, _ = ship(network_of(mod)[0], "net", **options)
    assert sorted(files) == sorted(expected)
    program = compile_files(write(files, folder), folder / "net", (*STRICT, *CHECKED))
    given = np.random.default_rng(5).normal(size=(2, 60)).astype("float32")
    np.save(folder / "x.npy", given)
    (folder / "x.raw").write_bytes(given.tobytes())
    wanted = relay.create_executor(mod=mod).evaluate()(given)
    for name in ("x.npy", "x.raw"):
        done = call(program, name, "p.npy", "k.npy", folder=folder)
        assert not done.returncode, done.stderr
        assert np.allclose(np.load(folder / "p.npy"), wanted[0], rtol=1e-5)
        assert np.array_equal(np.load(folder / "k.npy"), wanted[1])


def open_network():
    """A network of which x tells sizes, one by a hostile name, and y is to have one of them."""
    n, m = relay.SizeVar("*/ n"), relay.SizeVar("int")
    x = relay.Var("x", relay.TensorType((n, m), "float32"))
    y = relay.Var("y", relay.TensorType((m,), "float32"))
    unused = relay.Var("unused", relay.TensorType((3,), "int8"))
    w = relay.const(np.random.default_rng(3).normal(size=(7, 1)).astype("float32"))
    made = relay.nn.softmax(x + y, axis=0)
    body = relay.Tuple(
        [relay.concatenate([made, x], axis=0), relay.nn.dense(relay.reshape(x, (-1, 1)), w)]
    )
    return relay.transform.InferType()(
        relay.IRModule.from_expr(relay.Function([x, unused, y], body))
    )


@pytest.mark.slow("compiles a network three times, with sanitizers")
@each(
    "options",
    [
        {},
        {"malloc": False, "most": {}, "weights": Weights.BINARY},
        {"single_file": True},
    ],
)
def test_a_network_whose_sizes_arguments_tell_runs_without_python(options, tmp_path_factory):
    folder, mod = tmp_path_factory.mktemp("net"), open_network()
    lowered = network_of(mod)[0]
    names = [each.name for each in lowered.sizes]
    if "most" in options:
        options = {**options, "most": dict(zip(names, (30, 5), strict=True))}
    files, _ = ship(lowered, "net", **options)
    program = compile_files(write(files, folder), folder / "net", (*STRICT, *CHECKED))
    evaluate = relay.create_executor(mod=mod).evaluate()
    np.save(folder / "u.npy", np.zeros(3, "int8"))
    for n, m in ((1, 1), (2, 5), (30, 5), (300, 70)):
        generator = np.random.default_rng(n)
        given = [generator.random(shape).astype("float32") for shape in ((n, m), (m,))]
        np.save(folder / "x.npy", given[0])
        np.save(folder / "y.npy", given[1])
        done = call(program, "x.npy", "u.npy", "y.npy", "a.npy", "b.npy", folder=folder)
        if n == 300 and "most" in options:
            assert done.stderr == "net: there is not enough memory\n"
            continue
        assert not done.returncode, done.stderr
        wanted = evaluate(given[0], np.zeros(3, "int8"), given[1])
        for name, array in zip("ab", wanted, strict=True):
            found = np.load(folder / f"{name}.npy")
            assert found.shape == array.shape
            assert np.allclose(found, array, rtol=1e-5)
    (folder / "x.raw").write_bytes(given[0].tobytes())
    (folder / "y.raw").write_bytes(given[1].tobytes())
    np.save(folder / "z.npy", np.zeros(m + 1, "float32"))
    np.save(folder / "none.npy", np.zeros((0, m), "float32"))
    for words, said in (
        (("x.raw", "u.npy", "y.npy"), "x.raw: the file tells no sizes"),
        (("x.npy", "u.npy", "z.npy"), r"z.npy: input y is \(70,\); found \(71,\)"),
        (
            ("none.npy", "u.npy", "y.npy"),
            "EvaluationError: size .*, which is dimension 0 of x, is less",
        ),
        (("y.npy", "u.npy", "y.npy"), r"y.npy: input x is .*, int_\); found .*\(70,\)"),
    ):
        done = call(program, *words, "a.npy", "b.npy", folder=folder)
        assert done.returncode == 1
        assert re.search(said, done.stderr), done.stderr
    if "most" not in options:
        assert not call(
            program, "x.npy", "u.npy", "y.raw", "a.npy", "b.npy", folder=folder
        ).returncode


def test_memory_of_open_sizes_is_told_and_given_by_whoever_calls(tmp_path):
    files, code = ship(network_of(open_network())[0], "net")
    assert code.arena is None
    sources = [each for each in write(files, tmp_path) if not each.endswith("main.c")]
    (tmp_path / "own.c").write_text(
        '#include "net.h"\n#include <stdlib.h>\n'
        "int main(void) {\n"
        "  float x[6] = {1}, y[3] = {0}, a[12], b[42];\n  int8_t unused[3] = {0};\n"
        "  const size_t bytes = net_arena_size(2, 3);\n"
        "  uint8_t *const arena = aligned_alloc(64, bytes);\n"
        "  const int64_t sizes[] = {2, 3};\n  int64_t numbers[NET_NUMBERS];\n"
        "  int32_t status = net_measure(sizes, numbers);\n"
        "  status |= bytes % 64 != 0 || (size_t)numbers[0] != bytes || numbers[5] != 4;\n"
        "  status |= net_run_in(2, 3, x, unused, y, a, b, arena);\n  free(arena);\n"
        "  status |= net_arena_size(0, 3) != 0 || net_arena_size(1 << 16, 1 << 16) != 0;\n"
        "  return status != 0 || a[6] != 1 || net_run(-1, 3, x, unused, y, a, b) == 0;\n}\n"
    )
    program = compile_files(
        [*sources, str(tmp_path / "own.c")], tmp_path / "own", (*STRICT, *CHECKED)
    )
    assert call(program, folder=tmp_path).returncode == 0


@each(
    ("options", "said"),
    [
        ({"malloc": False}, "nobody knows how much static memory is needed; give the largest"),
        ({"malloc": False, "most": {"nope": 3}}, "the network has no size 'nope'"),
        ({"most": {"int": 3}}, "largest sizes are for static memory"),
    ],
)
def test_static_memory_of_open_sizes_has_to_be_told(options, said):
    with pytest.raises(OptionError, match=said):
        ship(network_of(open_network())[0], "net", **options)


@pytest.mark.slow("compiles a network with sanitizers")
def test_small_types_go_through_files_as_bytes(tmp_path):
    x, y = (relay.var(name, shape=(16,), dtype=f"float8_{name}") for name in ("e5m2", "e4m3fn"))
    codes = np.arange(16, dtype="uint8")
    fours = relay.const(codes.view(numpy_dtype("int4")))
    eights = relay.const((codes * 16 + codes).view(numpy_dtype("float8_e4m3fnuz")))
    wide = relay.cast(x, "float32") + relay.cast(y, "float32") + relay.cast(fours, "float32")
    results = [
        relay.cast(wide * relay.cast(eights, "float32"), "float8_e5m2"),
        relay.cast(relay.cast(fours, "int32") * relay.const(3), "uint4"),
        relay.cast(x, "bfloat16"),
    ]
    body = relay.Function([x, y], relay.Tuple(results))
    mod = relay.transform.InferType()(relay.IRModule.from_expr(body))
    files, _ = ship(network_of(mod)[0], "net", weights=Weights.C)
    program = compile_files(write(files, tmp_path), tmp_path / "net", (*STRICT, *CHECKED))
    given = [(codes * 5 + 3).view(numpy_dtype(each.type_annotation.dtype)) for each in (x, y)]
    (tmp_path / "x").write_bytes(given[0].tobytes())
    np.save(tmp_path / "y.npy", given[1])
    done = call(program, "x", "y.npy", *("a.npy", "b.npy", "c.npy"), folder=tmp_path)
    assert not done.returncode, done.stderr
    wanted = relay.create_executor(mod=mod).evaluate()(*given)
    found = [np.load(tmp_path / f"{name}.npy") for name in "abc"]
    for one, other in zip(wanted, found, strict=True):
        assert one.tobytes() == other.tobytes()


@pytest.fixture(scope="module")
def binary(tmp_path_factory):
    """A program with weights in a file, and the folder that it stands in."""
    folder = tmp_path_factory.mktemp("net")
    files, _ = ship(network_of(network())[0], "net", weights=Weights.BINARY)
    program = compile_files(write(files, folder), folder / "net")
    np.save(folder / "x.npy", np.zeros((2, 60), "float32"))
    np.save(folder / "double.npy", np.zeros((2, 60)))
    np.save(folder / "wide.npy", np.zeros((2, 61), "float32"))
    (folder / "short.raw").write_bytes(bytes(479))
    (folder / "long.raw").write_bytes(bytes(481))
    (folder / "cut.npy").write_bytes((folder / "x.npy").read_bytes()[:40])
    held = bytearray(files["net.bin"])
    (folder / "less.bin").write_bytes(held[:-1])
    (folder / "more.bin").write_bytes(held + b"x")
    held[4000] ^= 1
    (folder / "other.bin").write_bytes(held)
    return program, folder


@pytest.mark.slow("compiles a program, and runs it for each fault")
@each(
    ("words", "said"),
    [
        (["x.npy", "p.npy"], "usage: net"),
        (["-t", "0", "x.npy", "p.npy", "k.npy"], "usage: net"),
        (["-z", "0", "x.npy", "p.npy", "k.npy"], "usage: net"),
        (["nope.npy", "p.npy", "k.npy"], "nope.npy: the file cannot be read"),
        (["double.npy", "p.npy", "k.npy"], "'<f8'"),
        (["wide.npy", "p.npy", "k.npy"], r"\(2, 61\)"),
        (["cut.npy", "p.npy", "k.npy"], "cut.npy: the file ends early"),
        (["short.raw", "p.npy", "k.npy"], "short.raw: the file holds fewer elements"),
        (["long.raw", "p.npy", "k.npy"], "long.raw: the file holds more elements"),
        (["x.npy", "none/p.npy", "k.npy"], "none/p.npy: the file cannot be written"),
        *[
            (
                ["-w", f"{each}.bin", "x.npy", "p.npy", "k.npy"],
                f"{each}.bin: the file does not hold",
            )
            for each in ("less", "more", "other")
        ],
        (["-w", "no.bin", "x.npy", "p.npy", "k.npy"], "no.bin: the file of weights cannot be read"),
    ],
)
def test_the_program_says_what_is_wrong(words, said, binary):
    program, folder = binary
    done = call(program, *words, folder=folder)
    assert done.returncode in (1, 2)
    assert re.search(said, done.stderr), done.stderr


def test_the_program_tells_how_long_it_takes(binary):
    program, folder = binary
    done = call(program, "-t", 3, "x.npy", "p.npy", "k.npy", folder=folder)
    assert re.fullmatch(r"\d+\.\d{6} seconds at best\n", done.stdout)


def test_two_networks_stand_in_one_program(tmp_path):
    sources = []
    for name, rows in (("a", 1), ("b", 3)):
        files, _ = ship(network_of(network(rows))[0], name)
        sources += [each for each in write(files, tmp_path) if not each.endswith("main.c")]
    (tmp_path / "both.c").write_text(
        '#include "a.h"\n#include "b.h"\n#include <string.h>\n'
        "int main(void) {\n"
        "  float x[180] = {0}, p[150], q[150];\n  int8_t k[3];\n"
        "  return a_run(x, p, k) != 0 || b_run(x, q, k) != 0 || memcmp(p, q, 200) != 0;\n}\n"
    )
    program = compile_files([*sources, str(tmp_path / "both.c")], tmp_path / "both")
    assert call(program, folder=tmp_path).returncode == 0


def test_statuses_are_told_in_words(tmp_path):
    x = relay.var("x", shape=(2,), dtype="int32")
    mod = relay.transform.InferType()(
        relay.IRModule.from_expr(relay.Function([x], relay.floor_divide(relay.const(7), x)))
    )
    files, _ = ship(network_of(mod)[0], "net")
    program = compile_files(write(files, tmp_path), tmp_path / "net")
    np.save(tmp_path / "x.npy", np.array([2, 0], "int32"))
    done = call(program, "x.npy", "y.npy", folder=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("net: DivisionByZeroError: ")
    assert not (tmp_path / "y.npy").exists()


@pytest.mark.slow("runs the compiler for each")
@each("name", ["weights", "int", "net_run", "größe", "x y", '"); system("x', "arena", "NAME"])
def test_inputs_may_be_called_anything(name, tmp_path_factory):
    folder = tmp_path_factory.mktemp("net")
    files, _ = ship(network_of(network(name=name))[0], "net", weights=Weights.BINARY)
    compile_files(write(files, folder), folder / "net", (*STRICT, "-fsyntax-only"))


@pytest.mark.slow("lowers a few random networks")
def test_compilers_warn_of_nothing_in_random_networks(tmp_path):
    for seed in seeds(6):
        try:
            net = order_calls(lower_network(random_network(seed)))
        except RelayishError:
            continue  # not all of them can be compiled
        for weights in Weights:
            files, _ = ship(net, "net", weights=weights)
            sources = write(files, tmp_path)
            compile_files(sources, tmp_path / "net", (*STRICT, "-fsyntax-only"))


@each("dtype", ["float32", "float64"])
def test_weights_in_tables_are_these_very_bits(dtype, tmp_path_factory):
    folder = tmp_path_factory.mktemp("net")
    values = np.random.default_rng(1).integers(0, 256, 8 * 500, "uint8").view(dtype)
    values[:6] = [np.nan, np.inf, -np.inf, -0.0, 0.0, np.finfo(dtype).smallest_subnormal]
    x = relay.var("x", shape=values.shape, dtype=dtype)
    body = relay.where(relay.equal(x, x), relay.const(values, dtype), x)
    mod = relay.transform.InferType()(relay.IRModule.from_expr(relay.Function([x], body)))
    files, _ = ship(network_of(mod)[0], "net")
    program = compile_files(write(files, folder), folder / "net")
    np.save(folder / "x.npy", np.zeros_like(values))
    assert not call(program, "x.npy", "y.npy", folder=folder).returncode
    bits = [np.where(np.isnan(v), 0, v).tobytes() for v in (values, np.load(folder / "y.npy"))]
    assert bits[0] == bits[1]


@each("name", ["", "main", "stdint", "a-b", "1x", "ü", "a/b"])
def test_names_that_are_none_in_c_are_refused(name):
    with pytest.raises(OptionError, match="cannot be the name of a network"):
        ship(network_of(network())[0], name)


def test_outputs_are_called_as_whoever_ships_them_calls_them():
    files, code = ship(network_of(network())[0], "net", outputs=["scores", "net_run"])
    assert [each.label for each in code.outputs] == ["scores", "net_run"]
    assert "float *scores" in files["net.h"].decode()
    assert '{"net_run", ' in files["net.c"].decode()


def test_memory_that_functions_need_is_refused_where_there_is_to_be_none(monkeypatch):
    lowered = network_of(network())[0]
    kept = (lowered.module.functions[0], list(lowered.module.functions[1:]), [])
    monkeypatch.setattr("relayish.codegen.c.entry.hoist_temporaries", lambda *_: kept)
    monkeypatch.setattr("relayish.codegen.c.loops.functions.MOST_STACK", 0)
    with pytest.raises(CodegenError, match=r"function .* asks the system for memory"):
        ship(lowered, "net", malloc=False)

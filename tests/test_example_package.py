"""The package of the example, which declares kinds of nodes, used as from outside.

Its own tests are run by ``.ci/run``; every pass is run on programs with loops in ``tests/passes``.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "examples" / "while_loops"

SCRIPT = """
import pickle
import relayish as relay
from relayish.transform import InferType, Sequential
from while_loops import DropDeadLoops, Log, StreamType, While, logged

i, n = relay.var("i", "int32"), relay.var("n", "int32")
loop = While(i, relay.const(1), relay.less(i, n), Log(relay.add(i, i), "doubled"))
func = relay.Function([n], loop)
with logged() as notes:
    print(int(relay.evaluate(func)(20)), [int(value) for _, value in notes])

mod = InferType()(relay.IRModule.from_expr(func))
print(mod["main"].checked_type)
assert relay.structural_equal(relay.parse(relay.astext(mod)), mod)
assert relay.structural_equal(pickle.loads(pickle.dumps(func)), func)

never = While(i, n, relay.less(relay.const(2), relay.const(1)), relay.add(i, i))
pipeline = Sequential(["FoldConstant", "DropDeadLoops"])
print(relay.structural_equal(
    pipeline(relay.IRModule.from_expr(relay.Function([n], never)))["main"],
    relay.Function([n], n),
))

stream = relay.var("s", StreamType(relay.scalar_type("int32")))
same = relay.Function([stream], stream)
typed = InferType()(relay.IRModule({"main": same}))
print(relay.structural_equal(relay.parse(relay.astext(typed)), typed))
"""


def test_package_is_typed_evaluated_written_and_transformed():
    path = os.pathsep.join([str(PACKAGE), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": path},
        cwd=PACKAGE.parent.parent,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "32 [2, 4, 8, 16, 32]",
        "fn (int32) -> int32",
        "True",
        "True",
    ]


def test_page_on_domains_has_the_code_of_the_package_of_complex_numbers() -> None:
    root = PACKAGE.parent.parent
    package = root / "examples" / "complex_numbers" / "complex_numbers" / "__init__.py"
    page = (root / "docs" / "how-to" / "add_a_domain.md").read_text(encoding="utf-8")
    prompted = re.findall(r"^(?:>>>|\.\.\.) (.*)$", page, re.MULTILINE)
    written = {line.strip() for line in prompted}
    source = package.read_text(encoding="utf-8").split("\n\n", 2)[2]  # behind what it is called
    code = [line.strip() for line in source.splitlines() if line.strip()]
    assert [line for line in code if line not in written] == []
    assert len(source.splitlines()) < 150

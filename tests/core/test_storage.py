"""Programs of core are kept: pickled, copied, in files, and read where nobody imported core."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import relayish as relay
from relayish.binary import from_binary, to_binary, write_binary
from tests.support.core_programs import random_core_program
from tests.support.each import each
from tests.support.seeds import seeds


@each("seed", seeds(8))
def test_programs_are_kept(seed):
    mod = random_core_program(seed)
    for made in (pickle.loads(pickle.dumps(mod)), from_binary(to_binary(mod)), copy.deepcopy(mod)):
        relay.assert_structural_equal(made, mod)
        assert relay.structural_hash(made) == relay.structural_hash(mod)


def test_text_and_files_are_read_where_nobody_imported_core(tmp_path):
    mod = random_core_program(0)
    write_binary(mod, tmp_path / "m.bin")
    (tmp_path / "m.relay").write_text(mod.astext())
    script = (
        "import sys, relayish as relay\n"
        "a = relay.read_binary(sys.argv[1])\n"
        "b = relay.parse(open(sys.argv[2]).read())\n"
        "print(relay.structural_equal(a, b))\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "m.bin"), str(tmp_path / "m.relay")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "True", done.stderr

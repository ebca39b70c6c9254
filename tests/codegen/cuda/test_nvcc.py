"""What is written compiles by nvcc, where there is one."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from relayish import tir
from relayish.codegen.cuda import to_cuda
from relayish.codegen.cuda.dialect import FLAGS
from relayish.codegen.cuda.native import COPYING
from tests.support import cuda_programs as programs


@pytest.mark.slow("runs nvcc")
def test_programs_compile_without_a_warning(tmp_path):
    if shutil.which("nvcc") is None:
        pytest.skip("there is no nvcc")
    funcs = (*[make() for make in programs.ALL], *programs.calling().functions)
    source = tmp_path / "all.cu"
    source.write_text(to_cuda(tir.Module("m", functions=funcs)).text + COPYING)
    call = ["nvcc", *FLAGS, "-Werror", "all-warnings", "-c", "-o", str(tmp_path / "all.o")]
    made = subprocess.run([*call, str(source)], capture_output=True, text=True, check=False)
    assert (made.returncode, made.stderr) == (0, "")

"""A run over a network, taken up again behind each of its phases."""

from __future__ import annotations

import os

from relayish import testing
from relayish.binary import read_phase
from relayish.domain.driver import Driver, DriverCtx, GlobalConfig
from relayish.ir.equality.structural_equal import structural_equal
from relayish.transform import default_pipeline


def driver(**asked: object) -> Driver:
    config = GlobalConfig(opt_level=3, keep="input" in asked)
    return Driver([*default_pipeline(3).passes, "FuseOps"], DriverCtx(config, **asked))


def test_a_run_goes_on_to_the_same_result_behind_every_phase(tmp_path):
    mod, _ = testing.mlp.get_workload(1)
    whole = driver(input=str(tmp_path / "mlp"))(mod)
    files = sorted(tmp_path.iterdir())
    assert sorted(read_phase(path) for path in files) == sorted(driver().phases())
    with DriverCtx(trace=os.devnull):
        for path in files:
            assert structural_equal(driver(trace=os.devnull).resume_file(str(path)), whole), path

"""Programs to try passes on, and short ways to run them: Relay's ``relay.testing``.

The networks are modules, each with ``get_workload``: ``mlp.get_workload(1)``. What Relay has
here for compiled code (targets and devices) has no counterpart.
"""

from __future__ import annotations

from relayish._support.missing import set_finder
from relayish.codegen import run_as_python, to_python
from relayish.prelude import Prelude
from relayish.testing import (
    dcgan,
    densenet,
    dqn,
    inception_v3,
    init,
    layers,
    lstm,
    mlp,
    mobilenet,
    resnet,
    resnet_3d,
    squeezenet,
    synthetic,
    temp_op_attr,
    vgg,
)
from relayish.testing.check_grad import check_grad
from relayish.testing.init import create_workload
from relayish.testing.main import main
from relayish.testing.nat import count, make_nat_expr, make_nat_value
from relayish.testing.op_checks.report import OpCheckReport
from relayish.testing.opcheck import opcheck
from relayish.testing.run import assert_allclose, count_ops, rand, run_infer_type, run_opt_pass
from relayish.testing.temp_op_attr import TempOpAttr
from relayish.transform import gradient

__all__ = [
    "OpCheckReport",
    "Prelude",
    "TempOpAttr",
    "assert_allclose",
    "check_grad",
    "count",
    "count_ops",
    "create_workload",
    "dcgan",
    "densenet",
    "dqn",
    "gradient",
    "inception_v3",
    "init",
    "layers",
    "lstm",
    "main",
    "make_nat_expr",
    "make_nat_value",
    "mlp",
    "mobilenet",
    "opcheck",
    "rand",
    "resnet",
    "resnet_3d",
    "run_as_python",
    "run_infer_type",
    "run_opt_pass",
    "squeezenet",
    "synthetic",
    "temp_op_attr",
    "to_python",
    "vgg",
]

set_finder(__name__)

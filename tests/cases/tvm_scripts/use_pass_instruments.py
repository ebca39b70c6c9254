"""Instruments: counting, timing, and skipping passes."""

import tvm
from tvm import relay
from tvm.ir.instrument import PassTimingInstrument, pass_instrument
from tvm.relay.testing import mlp

mod, params = mlp.get_workload(batch_size=1)


@tvm.instrument.pass_instrument
class CallCounter:
    """Counts the calls of the program before and after each pass."""

    def __init__(self):
        self.calls = []

    @staticmethod
    def count(mod):
        return sum(relay.analysis.list_op_freqs(mod).values())

    def run_before_pass(self, mod, info):
        self.calls.append(("before", info.name, self.count(mod)))

    def run_after_pass(self, mod, info):
        self.calls.append(("after", info.name, self.count(mod)))


@pass_instrument
class Skip:
    def __init__(self, name):
        self.name = name

    def should_run(self, mod, info):
        return info.name != self.name


counter = CallCounter()
with tvm.transform.PassContext(opt_level=3, instruments=[counter]):
    simple = relay.transform.SimplifyInference()(mod)
assert [when for when, name, _ in counter.calls if name == "SimplifyInference"] == [
    "before",
    "after",
]

timing = PassTimingInstrument()
with tvm.transform.PassContext(instruments=[timing]):
    typed = relay.transform.InferType()(mod)
    typed = relay.transform.FoldScaleAxis()(typed)
    profiles = timing.render()
assert "FoldScaleAxis" in profiles

softmax = relay.Function([], relay.add(relay.const(1.0), relay.const(2.0)))
with tvm.transform.PassContext(opt_level=3, instruments=[Skip("FoldConstant")]):
    kept = tvm.transform.Sequential([relay.transform.FoldConstant()])(
        tvm.IRModule.from_expr(softmax)
    )
assert isinstance(kept["main"].body, relay.Call)

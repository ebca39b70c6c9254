"""What users of passes may rely on when they check types; mypy reads it, nothing runs it.

A line that is to be an error says so: an ignored error that is none is an error itself.
"""

from __future__ import annotations

from typing import assert_type

import relayish as relay
from relayish import transform
from relayish.transform import FunctionPass, ModulePass, Pass, PassContext, Sequential

mod = relay.IRModule()

assert_type(transform.FoldConstant(), transform.FoldConstant)
assert_type(transform.FoldConstant(fold_qnn=True)(mod), relay.IRModule)
assert_type(transform.FoldConstant(True).fold_qnn, bool)
assert_type(transform.O2(), Pass)
as_function_pass: FunctionPass = transform.FoldConstant()
as_module_pass: ModulePass = transform.InferType(fresh=True)
pipeline = Sequential([transform.InferType(), transform.FoldConstant(), "DeadCodeElimination"])
assert_type(pipeline(mod), relay.IRModule)
assert_type(pipeline.plan(), tuple[Pass, ...])
assert_type(transform.default_pipeline(3), Sequential)
assert_type(transform.FoldConstant.info, transform.PassInfo)
transform.RemoveUnusedFunctions(["main", "other"])
transform.RemoveUnusedFunctions(entry_functions=("main",))

transform.FoldConstant(fold_qn=True)  # type: ignore[call-arg]
transform.FoldConstant(fold_qnn="yes")  # type: ignore[arg-type]
transform.FoldConstant().fold_qnn = True  # type: ignore[misc]
transform.FoldConstnt()  # type: ignore[attr-defined]
transform.O2(3)  # type: ignore[call-arg]
transform.RemoveUnusedFunctions("main")  # type: ignore[arg-type]
transform.FoldConstant()("text")  # type: ignore[type-var]

verify = transform.VerifyInstrument(["well_formed"])
with PassContext(opt_level=3, instruments=[verify, transform.DiffInstrument(colour=True)]) as ctx:
    assert_type(ctx, PassContext)
    assert_type(pipeline(mod), relay.IRModule)


@transform.register_check("has_main")
def has_main(given: relay.IRModule) -> None:
    given.get_global_var("main")


@transform.register_pass(opt_level=1, infer_types=True, requires=("has_main",))
class Mine(FunctionPass):
    count: int = 3

    def transform_function(
        self, func: relay.Function, mod: relay.IRModule, ctx: PassContext
    ) -> relay.Function:
        return func


assert_type(Mine(count=4).count, int)
Mine(cuont=4)  # type: ignore[call-arg]

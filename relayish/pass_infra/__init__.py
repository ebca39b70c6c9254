"""Pass infrastructure: what passes are, how they are registered, composed, surrounded and watched.

It knows no pass. ``relayish.transform`` shows what is here together with all passes there are.
"""

from relayish._support.face import imported_names as _imported_names
from relayish.ir.relay.function_attributes import is_skipped
from relayish.pass_infra.base.common import CommonConfig
from relayish.pass_infra.base.config import add_config_source as _add_config_source
from relayish.pass_infra.base.config import list_configs, register_config_option
from relayish.pass_infra.base.context import PassContext
from relayish.pass_infra.base.decorators import create_module_pass, module_pass
from relayish.pass_infra.base.info import PassInfo
from relayish.pass_infra.base.instrument import PassInstrument, pass_instrument
from relayish.pass_infra.base.pass_class import ModulePass, Pass, running_pass
from relayish.pass_infra.base.trace import TraceFiles, current_trace_files
from relayish.pass_infra.base.type_inference import TYPE_INFERENCE
from relayish.pass_infra.composition.check import (
    Check,
    get_check,
    list_checks,
    register_check,
    run_check,
)
from relayish.pass_infra.composition.instruments import (
    InstrumentEntry,
    InstrumentRegistry,
    list_instruments,
    parse_instruments,
    register_instrument,
)
from relayish.pass_infra.composition.pass_config import config_class, config_of
from relayish.pass_infra.composition.register import register_pass
from relayish.pass_infra.composition.registry import REGISTRY as _REGISTRY
from relayish.pass_infra.composition.registry import (
    PassEntry,
    PassRegistry,
    add_pass_source,
    get_pass,
    list_passes,
    pass_entry,
)
from relayish.pass_infra.composition.sequential import Sequential, parse_pipeline, requirements
from relayish.pass_infra.instruments import named as _named  # registers those of relayish
from relayish.pass_infra.instruments.common import CommonOptionsInstrument
from relayish.pass_infra.instruments.counting import PassCountInstrument
from relayish.pass_infra.instruments.diff import DiffInstrument
from relayish.pass_infra.instruments.dump import DumpInstrument
from relayish.pass_infra.instruments.immutable import ImmutableModuleInstrument
from relayish.pass_infra.instruments.marks import TimingMark, TimingMarks
from relayish.pass_infra.instruments.printing import (
    PassPrintingInstrument,
    PrintAfterAll,
    PrintBeforeAll,
)
from relayish.pass_infra.instruments.progress import Progress, ProgressInstrument
from relayish.pass_infra.instruments.timing import PassProfile, PassTimingInstrument
from relayish.pass_infra.instruments.verify import VerifyInstrument
from relayish.pass_infra.relay import checks as _checks  # registers those of Relay
from relayish.pass_infra.relay import shrinking as _shrinking  # as above
from relayish.pass_infra.relay.function_pass import (
    FunctionPass,
    create_function_pass,
    function_pass,
)
from relayish.pass_infra.relay.preserved import PreservedAnalysesInstrument
from relayish.registry.source import EntryPointSource, PassSource, TableSource

__all__ = _imported_names(__name__)

del _checks, _named, _shrinking

_add_config_source(_REGISTRY.find, _REGISTRY.entries)

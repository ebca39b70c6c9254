"""Memory planning: which storage each tensor of a function lives in, and from when to when."""

from relayish.analysis.memory_plan.buffers import Origin
from relayish.analysis.memory_plan.plan import MemoryPlan, PlannedTensor, Storage
from relayish.analysis.memory_plan.planner import plan_memory

__all__ = ["MemoryPlan", "Origin", "PlannedTensor", "Storage", "plan_memory"]

"""Lowering core: functions of symbols and memory to loops over buffers."""

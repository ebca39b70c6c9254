"""Primitives of schedules, by subject: functions, and the methods that take them as steps."""

"""Schedules of loops: nests that are fused, tiled for registers, and read packed memory."""

"""Schedules: loops transformed on purpose, step by step, each step checked and recorded."""

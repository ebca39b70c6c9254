"""Instruments: what watches passes run: counting, timing, printing, differences, verification."""

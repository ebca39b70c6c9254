"""Regions of buffers: what is accessed, what blocks declare, and what is out of bounds."""

"""Compiling from the command line: what is read, timed and told."""

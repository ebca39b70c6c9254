"""Analyses along the flow of control: intervals and constants of variables at each point."""

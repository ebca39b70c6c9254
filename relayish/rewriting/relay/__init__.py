"""Rewriting of Relay's programs: facts of expressions, and rules by what calls call."""

"""Domains of operators, their properties, and languages of kinds."""

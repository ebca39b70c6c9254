"""Rewrite rules by subject; passes are made of them."""

"""Verification: rules of kinds and of scopes, and verifiers of languages."""

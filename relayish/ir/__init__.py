"""The ground of every language: nodes, roles and traits, scopes, comparison, storage, modules."""

from relayish.ir import storage as _storage  # gives nodes their pickling and copying

__all__: list[str] = []

del _storage

"""The intermediate representation: nodes, types, patterns, modules, structural comparison."""

from relayish.ir import storage as _storage  # gives nodes their pickling and copying

__all__: list[str] = []

del _storage

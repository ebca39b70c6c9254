"""The intermediate representation: nodes, types, patterns, modules, structural comparison."""

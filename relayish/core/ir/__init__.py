"""The nodes of core: AIR's common operators, their types, and what a module defines."""

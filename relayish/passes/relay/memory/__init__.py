"""In-place updates: which results may share memory with operands."""

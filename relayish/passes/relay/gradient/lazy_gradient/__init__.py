"""Lazy zeros and ones: where tensors may be cells not made yet, and programs with such cells."""

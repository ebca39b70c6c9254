"""Where tensors may be cells that hold zeros or ones not made yet, and programs with such cells."""

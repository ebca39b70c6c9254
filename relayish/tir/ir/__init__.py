"""The nodes of the loop IR: CINN's kinds, their types, and what builds them."""

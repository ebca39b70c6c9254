"""Commands that write what is generated."""

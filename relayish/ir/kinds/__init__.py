"""Facts that kinds of nodes tell of themselves, beside their fields."""

"""What partial evaluation is made of: values known early, code that is left, fuel, the store."""

"""Rules for `SimplifyExpr`, by what they are about."""

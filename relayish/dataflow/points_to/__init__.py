"""Points-to analysis: where the things that values may be are created; functions, above all."""

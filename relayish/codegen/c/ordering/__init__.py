"""Functions of Relay that order calls, as functions of loops: values, memory, control flow."""

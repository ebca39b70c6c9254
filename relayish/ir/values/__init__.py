"""Values of constants: element types, arrays, strings, exact comparison."""

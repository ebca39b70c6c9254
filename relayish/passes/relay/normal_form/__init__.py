"""Normal forms: A-normal, basic-block and graph normal form; continuation-passing style."""

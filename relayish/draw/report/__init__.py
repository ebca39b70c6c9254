"""Reports of pipelines: what each pass did to a program, as data, as a table, as a page."""

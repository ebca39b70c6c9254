"""Registration: claims of names, declarations that may be taken back, packages that declare."""

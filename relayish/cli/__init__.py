"""The command line: ``relayish opt | passes | print | check``."""

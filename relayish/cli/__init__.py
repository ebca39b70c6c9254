"""The command line: ``relayish optimize | show | diff | opt | passes | print | check``, and more."""

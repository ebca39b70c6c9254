"""The command line: ``relayish optimize | show | diff | opt | passes | check``, and more."""

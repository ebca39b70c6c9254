"""relayish."""

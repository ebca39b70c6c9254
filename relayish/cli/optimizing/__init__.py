"""``relayish optimize``: one model, or many of them by workers."""

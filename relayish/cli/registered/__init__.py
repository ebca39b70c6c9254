"""Descriptions of what is registered, by relayish and by others, as the registries have it."""

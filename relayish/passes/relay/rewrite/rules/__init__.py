"""Rules and walks that several passes over calls share."""

"""Let insertion: what the passes to A-normal and basic-block normal form share."""

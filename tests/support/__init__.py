"""What tests share: programs, languages, oracles, and where recorded data are."""

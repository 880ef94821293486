"""The terminal lab: short reports that load a known data set and check the answers."""

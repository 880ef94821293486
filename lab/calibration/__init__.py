"""Where the tiers of a community event belong: from past totals, and from an event that ended."""

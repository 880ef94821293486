"""Two kinds of run side by side: medians over rounds, spread, ratios, and what differs."""

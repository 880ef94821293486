"""The community odometer: a shared total that everybody reads, in which each race counts once."""

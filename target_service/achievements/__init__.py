"""Six counters per member, six tracks of achievements settled from them, and who unlocked what."""

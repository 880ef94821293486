"""What the odometer accepts: its limits."""

# Larger than any honest race in a sensible unit (a million metres), and small enough that nine
# thousand million of the largest races fit into a total that every client reads exactly.
AMOUNT_LIMIT = 1_000_000
TOTAL_LIMIT = 2**53 - 1
RACES_AT_ONCE = 1_000
FIELDS_OF_A_RACE = 8
TIERS_AT_MOST = 16
# A race over the stream may come so long before its event is made.
WAITING_MINUTES = 10
# What producers send wrong is kept for them to see, but not for ever.
REJECTED_AT_MOST = 10_000
# That have not ended: each is looked at again and again. One that has costs its rows alone.
EVENTS_AT_MOST = 1_000
GRACE_SECONDS_RANGE = (0, 86_400)
REFRESH_MS_RANGE = (50, 60_000)
UNIT_CHARACTERS = 32
# The path of this id tells which versions there are.
RESERVED_ID = "versions"

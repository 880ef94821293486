"""The ledger: the durable truth that the ranking is a projection of."""

"""The bounded rank: counted in this process, from the ledger's changes, without asking Redis."""

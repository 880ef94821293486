"""The ranking in Redis as a projection of the ledger: guarded, watched, and rebuilt when lost."""

"""What clients were told, against what the service, the ledger and Redis hold."""

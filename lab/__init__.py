"""The lab: starts the stack on this machine, runs one load against it, audits what is left."""

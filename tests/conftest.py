"""What holds for every test."""

from hypothesis import settings

# On a busy machine one example may take any time; no test here is about its own speed.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

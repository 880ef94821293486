"""The load: open-loop user classes inside Locust, and the run directory they leave."""

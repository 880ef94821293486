"""Keeps Locust's own figures off the terminal, where they would pass for the run's."""

import logging

from locust.env import Environment


def silence_statistics(environment: Environment) -> None:
    """Print none of Locust's tables: they round to milliseconds and count failures in.

    Whoever asks for them with --print-stats gets them.
    """
    options = environment.parsed_options
    if options is not None and not options.print_stats:
        options.only_summary = True
        logging.getLogger("locust.stats_logger").disabled = True

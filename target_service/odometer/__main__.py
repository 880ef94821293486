"""`python -m target_service.odometer <ledger file>`: rebuild totals and contributions."""

import sys
from pathlib import Path

from target_service.ledger.errors import LedgerError
from target_service.ledger.store import Store
from target_service.odometer.rebuild import Rebuilt, rebuild

USAGE = 2


def main(arguments: list[str]) -> int:
    """Rebuild, print what was found, and return the exit code."""
    if len(arguments) != 1 or not Path(arguments[0]).is_file():
        told = "Name the ledger's file: .venv/bin/python -m target_service.odometer <file>."
        print(told, file=sys.stderr)  # noqa: T201  (the command line's answer)
        return USAGE
    store = Store(Path(arguments[0]))
    try:
        rebuilt = rebuild(store)
    except LedgerError as error:
        print(error, file=sys.stderr)  # noqa: T201  (the command line's answer)
        return USAGE
    finally:
        store.process_lock.close()
    for event in rebuilt:
        print(sentence(event))  # noqa: T201  (the command line's answer)
    return 0


def sentence(event: Rebuilt) -> str:
    """Say what an event's rebuild found."""
    found = f"{event.event_id}: {event.total:,} in the lake"
    found += f", drift before {event.drift:,}." if event.drift else ", as it was before."
    if event.final_total is not None and event.final_total != event.total:
        found += f" It ended with {event.final_total:,}, and that stays."
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

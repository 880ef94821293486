"""Redis commands as bytes."""

from hiredis import pack_command


def pack(*arguments: str | int) -> bytes:
    """Return the command in the form that goes over the wire."""
    packed: bytes = pack_command(arguments)  # type: ignore[arg-type]  # its stub has one argument
    return packed

"""Where the target is: the parts of its URL that a connection needs."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from locustfiles.errors import BadInput


@dataclass(frozen=True)
class Address:
    """A web address of the target, without a path at its end."""

    url: str
    host: str
    port: int
    is_tls: bool
    path: str

    @property
    def host_header(self) -> str:
        """The name and port as the Host header gives them."""
        return urlsplit(self.url).netloc


def read_address(url: str) -> Address:
    """Read a URL.

    Raises:
        BadInput: it is no address of a web service.
    """
    if "@" in url:
        # it may hold a password, and is not shown
        raise BadInput("The target (--host) names a user, which is not sent: leave that out.")
    problem = (
        f"The target (--host) must be an address such as http://127.0.0.1:8000; it is {url!r}."
    )
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise BadInput(problem) from None
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
        raise BadInput(problem)
    is_tls = parts.scheme == "https"
    path = parts.path.rstrip("/")
    return Address(
        url=url.rstrip("/"),
        host=parts.hostname,
        port=port or (443 if is_tls else 80),
        is_tls=is_tls,
        path=path,
    )

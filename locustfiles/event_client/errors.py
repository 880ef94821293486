"""What can go wrong with a client of community events.

EventClientError
├── NoCommonVersion   the service offers no version that this build reads
├── UnknownEvent      nobody has made the event
└── ServiceTrouble    no answer, or one that makes no sense; ask again later
"""


class EventClientError(Exception):
    """The base of everything the client raises on purpose."""


class NoCommonVersion(EventClientError):
    """The service offers no version that this build reads: the build is too old, or too new."""


class UnknownEvent(EventClientError):
    """There is no such event."""


class ServiceTrouble(EventClientError):
    """The service gave no usable answer."""

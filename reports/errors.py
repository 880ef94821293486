"""What can go wrong with a report.

ReportError
├── UsageError          the command names something that is not there, or refuses
│   ├── RunNotFound     no run at the path, with the id, or at all
│   └── ExportRefused   no target, or one that holds what is not this run's
├── BrokenRun           a run directory whose run.json cannot be used
└── WriteFailed         a file could not be written
"""


class ReportError(Exception):
    """Something a sentence explains; never shown as a traceback."""


class UsageError(ReportError):
    """The command asks for what cannot be done."""


class RunNotFound(UsageError):
    """No run at the path, with the id, or at all."""


class ExportRefused(UsageError):
    """No target was named, or it holds what does not belong to this run."""


class BrokenRun(ReportError):
    """A run directory whose run.json is missing or cannot be used."""


class WriteFailed(ReportError):
    """A file could not be written."""

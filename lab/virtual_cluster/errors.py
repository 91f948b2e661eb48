"""The one way to fail: an exception with a message for the user and an exit status."""

EXIT_CHECK_FAILED = 1
EXIT_USAGE = 2
EXIT_IMPOSSIBLE = 3
EXIT_SKIP = 77


class ClusterError(Exception):
    """A message for the user and the exit status of vcluster."""

    def __init__(self, message, status=EXIT_IMPOSSIBLE):
        super().__init__(message)
        self.status = status


class SettingMismatch(ClusterError):
    """The kernel accepted a setting but reports another value: a bug of vcluster, not a limit of the machine."""


def describe(error):
    """Any exception as one line."""
    return str(error) if isinstance(error, ClusterError) else f"{type(error).__name__}: {error}"

"""How vcluster fails: an exception with a sentence for the user and an exit status."""

EXIT_CHECK_FAILED = 1
EXIT_USAGE = 2
EXIT_IMPOSSIBLE = 3
EXIT_SKIP = 77


class Trouble(Exception):
    """A sentence for the user, and the exit status it leads to."""

    def __init__(self, sentence, status=EXIT_IMPOSSIBLE):
        super().__init__(sentence)
        self.status = status


class Mismatch(Trouble):
    """The kernel took a setting but does not have it: our fault, not the machine's."""


def describe(error):
    """One line for any exception."""
    return str(error) if isinstance(error, Trouble) else f"{type(error).__name__}: {error}"

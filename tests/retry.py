"""Trying again, for tests that other programs on the machine may disturb."""
import sys

BUSY = "other programs on the machine may have taken the processors"


def tried(times, why, attempt):
    """What `attempt()` returns, tried again where it fails for the reason given, which is told; the last failure counts."""
    for number in range(1, times + 1):
        try:
            return attempt()
        except AssertionError as failure:
            if number == times:
                raise
            first = str(failure).splitlines()[0][:200] if str(failure) else ""
            print(f"try {number} of {times} failed ({first}); once more: {why}", file=sys.stderr)

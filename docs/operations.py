#!/usr/bin/env python3
"""Writes docs/operations.md from the registry of operations, as `fathom list ops --json` tells it.

  docs/operations.py FATHOM           writes the page
  docs/operations.py FATHOM --check   says whether it is current, by its exit status
"""
import json
import pathlib
import subprocess
import sys
import textwrap

PAGE = pathlib.Path(__file__).with_name("operations.md")

HEAD = """# Operations

{count} operations, each measured by the same engine, clock, data check and report. `fathom list ops` shows them with
what the MPI library at hand cannot have; `fathom run all` measures all that it has. This page is written by
`docs/operations.py` from the registry (src/plan/operations.def); change that, not this. `all` leaves out the studies of
overlap, which take longer: name them, or use `--preset overlap`.

A time is that of one call, message, piece or iteration. `b` is the message size (`--sizes`), `n` the number of processes.
"""

# What the groups have in common, in the order of the page.
GROUPS = {
    "point_to_point": ("Point-to-point calls", """`pingpong` runs between two ranks (`--pair first-last`, `0-1`, `max-latency`, `A-B`) and
counts half of a round trip on the first of them (the whole time for the two that go both ways at once). `max-latency` finds the
slowest pair by a short test of all pairs (of more than 64 processes: of those with rank 0). `pairs` runs between all ranks at once,
p with p + n/2, on another host whenever hosts allow, or as `--pairs 0-2,1-3` or `--pairs-file FILE` say: in one repetition half of
them send, in the next the other half, and a message counts from the start of its sending to the end of its receiving on the
global clock, so that contention shows."""),
    "pattern": ("Patterns of neighbours", """All ranks at once; a repetition counts as its slowest rank."""),
    "stream": ("Streams", """`--window` messages are on the way at once; the receiver then answers with an empty message. Times are of
one message, rates of the whole stream (of one pair)."""),
    "survey": ("Surveys", """`matrix` lets every pair meet in turn, as in a round-robin tournament, so that each process is in one pair at
a time; it prints the matrix of times or bandwidths and names processes, hosts and links that are slow against the median. `duplex`
alternates one-way messages with MPI_Sendrecv between the same pairs and answers with the ratio: 1 if both directions can be used at
once, 2 if not."""),
    "collective": ("Collectives", """A repetition counts as its slowest rank. `b` is each process's block, or with `--size-as total` the sum
over all processes. The forms with counts (`v`, `w`, reduce_scatter) share blocks out as `--distribution` says: equal, linear, one-heavy,
random. Reductions are of `--type` with `--reduce-op`: sum, user (a user-defined sum), user-ordered (user-defined and not commutative).
`--root rotating` changes the root from call to call. Non-blocking forms are waited for at once; persistent ones are made before the
timed calls."""),
    "communicator": ("Communicators", """Each communicator is made and freed within the time."""),
    "one_sided": ("One-sided", """From the first rank of a pair (`--pair`) to the window of the second; the window is made by
`--window-memory` allocate, create or shared."""),
    "master_worker": ("Master and workers", """Rank 0 hands out `--pieces` pieces of work of `b` bytes, each worker works `--piece-work`
microseconds on a piece and answers with `b` bytes. Besides the time of a piece they tell pieces per second, how busy the master was and
how fairly pieces were shared (Jain's index)."""),
    "single": ("Calls of one rank", """Rank 0 alone, many calls between two time stamps."""),
    "kernel": ("Kernels", """What programs do: they tell where the time went. `kernel.sor` solves a problem of `--grid` x `--grid` points by
red-black over-relaxation until it has converged, the last rank with `--imbalance` percent more of it; `kernel.gsum` is a series of
`--iterations` small allreduces over two communicators in turn."""),
    "overlap": ("Studies of overlap", """What a program can do during a non-blocking call. The time of such a row is that of start and wait
at once; the study follows: the same with work in between (`--work`), with and without calls of MPI_Test (`--tests`, `--test-intervals`), and
the work alone. It tells the overhead (processor time that communication takes), the availability (the share of the message time that is
free for work) and how far communication goes on by itself. Of `overlap.isend` and `overlap.irecv` the first rank of a pair (`--pair`) is
looked at, the other one is always ready; in those of collectives all ranks work. `--progress both` measures them with a progress thread of
the library too."""),
}


def wrapped(text):
    """Paragraphs with lines of up to 100 characters, as tests/structure/test_docs.py wants them."""
    paragraphs = text.strip().split("\n\n")
    return "\n\n".join(textwrap.fill(" ".join(paragraph.split()), 100, break_long_words=False, break_on_hyphens=False)
                       for paragraph in paragraphs) + "\n"


def page(fathom):
    listing = json.loads(subprocess.run([fathom, "list", "ops", "--json"], check=True, capture_output=True, timeout=60).stdout)
    rows = listing["rows"]
    unknown = {row["family"] for row in rows} - set(GROUPS)
    if unknown:
        sys.exit(f"docs/operations.py has no text for {', '.join(sorted(unknown))}")
    parts = [wrapped(HEAD.format(count=len(rows)))]
    for group, (title, text) in GROUPS.items():
        lines = [f"## {title}\n", wrapped(text), "| operation | calls | MPI | processes | what it is |", "|---|---|---|---|---|"]
        for row in rows:
            if row["family"] == group:
                least = f"{row['min_procs']} or more" if row["pattern"] not in ("first-last", "one") else "2" if row["min_procs"] == 2 else "1"
                lines.append(f"| `{row['operation']}` | {row['calls']} | {row['mpi_version']} | {least} | {row['summary']} |")
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def main():
    text = page(sys.argv[1])
    if sys.argv[2:] == ["--check"]:
        if not PAGE.exists() or PAGE.read_text() != text:
            sys.exit("docs/operations.md is not current; run docs/operations.py build/bin/fathom")
    else:
        PAGE.write_text(text)


main()

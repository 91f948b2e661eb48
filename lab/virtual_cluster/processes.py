"""Starting, signalling and reaping processes."""

import contextlib
import os
import signal
import sys

from .errors import EXIT_IMPOSSIBLE, describe

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def default_signals():
    """Restores default signal handling in a child."""
    signal.set_wakeup_fd(-1)
    for number in (*STOP_SIGNALS, signal.SIGALRM, signal.SIGCHLD, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


def close_all_but(*kept):
    """Points stdin, stdout and stderr at /dev/null and closes every other descriptor."""
    null = os.open("/dev/null", os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    for name in os.listdir("/proc/self/fd"):
        if int(name) > 2 and int(name) not in kept:
            with contextlib.suppress(OSError):
                os.close(int(name))


def exec_command(command, environment):
    """Executes a command; never returns. Exits with 127 if it cannot be started, as a shell does."""
    default_signals()
    try:
        os.execvpe(command[0], command, environment)
    except OSError as error:
        print(f"vcluster: cannot start '{command[0]}': {error.strerror}", file=sys.stderr, flush=True)
    os._exit(127)


def shell_status(wait_status):
    """A wait status as the exit status of a shell: 128 + signal for a killed process."""
    code = os.waitstatus_to_exitcode(wait_status)
    return code if code >= 0 else 128 - code


def send_signal(number, pid):
    """Sends a signal to a child that may already have exited."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def run_as_init(command, environment):
    """Runs a command as the init process of a pid namespace: reaps orphans, forwards SIGTERM.

    Returns the command's status; when the caller exits with it, the kernel kills what is left.
    """
    child = os.fork()
    if child == 0:
        exec_command(command, environment)
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: send_signal(signal.SIGTERM, child))
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    while True:
        pid, wait_status = os.wait()
        if pid == child:
            return shell_status(wait_status)


def fork_child(body):
    """Forks a child that runs body() and exits with its result. Returns its pid."""
    child = os.fork()
    if child == 0:
        status = EXIT_IMPOSSIBLE
        try:
            signal.set_wakeup_fd(-1)  # so that our signals do not wake our parent
            status = body()
        except Exception as error:
            print(f"vcluster: {describe(error)}", file=sys.stderr, flush=True)
        os._exit(status)
    return child

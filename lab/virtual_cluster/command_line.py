"""The command line of vcluster."""

import argparse
import signal
import sys

from .agent import command_agent
from .errors import EXIT_IMPOSSIBLE, EXIT_SKIP, EXIT_USAGE, ClusterError
from .jobs import command_exec, command_front, command_run
from .launchers import LAUNCHERS
from .lifecycle import command_check, command_down, command_up
from .option_values import (
    MAX_HOSTS, parse_count, parse_cpus, parse_hosts, parse_loss, parse_name, parse_offsets, parse_queue,
    parse_rates,
)
from .status import command_status


class Parser(argparse.ArgumentParser):
    """Reports errors in one line."""

    def error(self, message):
        raise ClusterError(f"{message}; see '{self.prog} --help'", EXIT_USAGE)


def add_command(commands, name, function, summary, example, takes_program=False):
    parser = commands.add_parser(
        name, help=summary, description=summary[0].upper() + summary[1:] + ".", epilog="example: " + example,
        formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    parser.set_defaults(function=function, takes_program=takes_program)
    if name != "check":
        parser.add_argument("--name", type=parse_name, default="default", help="name of the cluster (default: default)")
    return parser


def make_parser():
    parser = Parser(prog="vcluster", description="Virtual hosts on one machine, for MPI over real TCP.",
                    epilog="example: vcluster up --hosts 4 && vcluster run --mpi openmpi -n 4 -- ./program",
                    allow_abbrev=False)
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=Parser)

    up = add_command(commands, "up", command_up, "create hosts h0, h1, ... and the network between them",
                     "vcluster up --hosts 4 --rate 100mbit --loss 0.5% --clock-offset 0,3600,0.25,0")
    up.add_argument("--hosts", type=parse_hosts, required=True, help=f"number of hosts, 1 to {MAX_HOSTS}")
    up.add_argument("--rate", type=parse_rates, metavar="RATE[,RATE...]",
                    help="rate of each host's link, each direction: 100mbit, 1gbit; one for all or one per host "
                         "(default: no limit)")
    up.add_argument("--queue", type=parse_queue, metavar="BYTES",
                    help="queue at each end of a link, in bytes or 64k, 1M (default: 128k)")
    up.add_argument("--loss", type=parse_loss, default=0, metavar="PERCENT",
                    help="share of packets lost on arrival at a host, such as 0.5%% (default: 0%%)")
    up.add_argument("--loss-probes", choices=("on", "off"), default="on",
                    help="TCP tail loss probes, net.ipv4.tcp_early_retrans (default: on)")
    up.add_argument("--clock-offset", type=parse_offsets, metavar="S,S,...",
                    help="how far each host's CLOCK_MONOTONIC is ahead, in seconds (default: 0 each)")

    up.add_argument("--cpus", type=parse_cpus, metavar="LIST/LIST/...",
                    help="CPUs that each host may use, such as 0/0-1 (default: all that this command may)")

    run = add_command(commands, "run", command_run, "run an MPI program across the hosts",
                      "vcluster run --mpi openmpi -n 4 -- ./program ARGS", takes_program=True)
    run.usage = "vcluster run --mpi openmpi|mpich -n N [options] -- PROGRAM [ARGS...]"
    run.add_argument("--mpi", choices=tuple(LAUNCHERS), required=True, help="which MPI library's launcher")
    run.add_argument("-n", type=parse_count, required=True, metavar="N", help="number of ranks")
    run.add_argument("--ranks-per-host", type=parse_count, metavar="K",
                     help="fill each host with K ranks before the next "
                          "(default: spread evenly, neighbouring ranks on one host)")
    run.add_argument("--env", action="append", default=[], metavar="NAME[=VALUE]",
                     help="pass on one more environment variable; may be repeated")

    add_command(commands, "down", command_down, "take a cluster down, with everything that runs in it",
                "vcluster down --name mine")
    status = add_command(commands, "status", command_status, "show the current state of the hosts",
                         "vcluster status --json")
    status.add_argument("--json", action="store_true", help="one JSON document on stdout")

    front = add_command(commands, "front", command_front,
                        "run a command on the front, where the MPI launcher starts jobs on the hosts",
                        "vcluster front --mpi openmpi -- fathom run allreduce -n 4", takes_program=True)
    front.usage = "vcluster front --mpi openmpi|mpich [options] -- COMMAND [ARGS...]"
    front.add_argument("--mpi", choices=tuple(LAUNCHERS), required=True, help="which MPI library's launcher")
    front.add_argument("--slots", type=parse_count, default=1, metavar="K",
                       help="ranks that a host gets before the next one (default: 1)")

    execute = add_command(commands, "exec", command_exec, "run a command on one host",
                          "vcluster exec h0 -- ip address", takes_program=True)
    execute.usage = "vcluster exec [options] HOST -- COMMAND [ARGS...]"
    execute.add_argument("host", metavar="HOST", help="h0, h1, ...")

    add_command(commands, "check", command_check,
                f"check whether virtual hosts can be created here (exit status {EXIT_SKIP} if not)", "vcluster check")
    return parser


def parse_arguments(arguments):
    """Parses options before '--' and a program after it; raises ClusterError on wrong usage."""
    own, program = list(arguments), None
    if "--" in own:
        cut = own.index("--")
        own, program = own[:cut], own[cut + 1:]
    # argparse takes a value such as -5,0 for an option unless it is joined by '='.
    if "--clock-offset" in own[:-1]:
        at = own.index("--clock-offset")
        own[at:at + 2] = [f"--clock-offset={own[at + 1]}"]
    options = make_parser().parse_args(own)
    if options.takes_program and not program:
        raise ClusterError("no program given; put it after '--', for example: -- ./program", EXIT_USAGE)
    if not options.takes_program and program is not None:
        raise ClusterError("only run, front and exec take '--' and a program", EXIT_USAGE)
    options.program = program
    return options


def main(arguments):
    try:
        if arguments[:1] == ["_agent"]:
            return command_agent(arguments[1:])
        options = parse_arguments(arguments)
        return options.function(options)
    except ClusterError as error:
        print(f"vcluster: {error}", file=sys.stderr)
        return error.status
    except OSError as error:
        print(f"vcluster: {error}", file=sys.stderr)
        return EXIT_IMPOSSIBLE
    except KeyboardInterrupt:
        return 128 + signal.SIGINT

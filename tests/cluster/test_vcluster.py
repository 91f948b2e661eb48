#!/usr/bin/env python3
"""Tests of lab/vcluster, skipped where virtual hosts cannot be made."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import harness

VCLUSTER = str(pathlib.Path(__file__).resolve().parents[2] / "lab" / "vcluster")
NAME = f"test-{os.getpid()}"
WAIT_S = 30

PROGRAM = r"""
#include <mpi.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <unistd.h>
#include <vector>

// Arguments: hello | sleep | send BYTES. One line per rank, or the rate seen by rank 0.
int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    std::vector<char> folder(4096);
    if (getcwd(folder.data(), folder.size()) == nullptr) return 1;
    if (std::strcmp(argv[1], "send") == 0) {
        std::vector<char> data(std::strtoul(argv[2], nullptr, 10));
        const int count = static_cast<int>(data.size());
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        char answer = 0;
        if (rank == 0) {
            MPI_Send(data.data(), count, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(&answer, 1, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            std::printf("bytes_per_s %.0f\n", static_cast<double>(data.size()) / (MPI_Wtime() - start));
        } else {
            MPI_Recv(data.data(), count, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&answer, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
    } else {
        std::printf("rank %d host %s size %d folder [%s] argument [%s]\n", rank, host, size, folder.data(),
                    argc > 2 ? argv[2] : "");
        std::fflush(stdout);
        if (std::strcmp(argv[1], "sleep") == 0) sleep(60);
    }
    std::fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
#ifdef MPICH_VERSION
    // MPI_Finalize of MPICH 4.0 over UCX's TCP now and then never returns.
    _exit(0);
#endif
    MPI_Finalize();
}
"""

COMPILERS = {"openmpi": "mpicxx.openmpi", "mpich": "mpicxx.mpich"}


def vcluster(command, *arguments, name=NAME, **options):
    """Runs lab/vcluster; returns the finished process with its output as text."""
    words = [VCLUSTER, command]
    if name is not None:
        words += ["--name", name]
    return subprocess.run([*words, *arguments], capture_output=True, text=True, timeout=WAIT_S, **options)


def processes():
    """{id: network namespace inode} of every process whose namespace can be read."""
    found = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                found[int(entry)] = os.stat(f"/proc/{entry}/ns/net").st_ino
            except OSError:
                pass
    return found


def processes_naming(text):
    """Ids of processes that have a text on their command line, without this one."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) != os.getpid():
            try:
                words = pathlib.Path("/proc", entry, "cmdline").read_bytes()
            except OSError:
                continue
            if text.encode() in words:
                found.append(int(entry))
    return found


def eventually(condition, limit_s=WAIT_S):
    """Waits until a condition holds; returns its last value."""
    deadline = time.monotonic() + limit_s
    while True:
        value = condition()
        if value or time.monotonic() > deadline:
            return value
        time.sleep(0.05)


def machine_state():
    """What `up` must not change outside its own namespaces. In shared memory, where others may work, only what has our name."""
    nft = shutil.which("nft", path=os.environ.get("PATH", "") + ":/usr/sbin")
    ruleset = subprocess.run([nft, "list", "ruleset"], capture_output=True, text=True, timeout=WAIT_S).stdout
    return {
        "interfaces": sorted(os.listdir("/sys/class/net")),
        "mounts": sorted(pathlib.Path("/proc/self/mounts").read_text().splitlines()),
        "nft": ruleset,
        "routes": pathlib.Path("/proc/net/route").read_text(),
        "shared memory": [name for name in os.listdir("/dev/shm") if NAME in name],
        "loss probes": pathlib.Path("/proc/sys/net/ipv4/tcp_early_retrans").read_text(),
    }


def state_folder():
    if os.geteuid() == 0:
        return pathlib.Path("/run/fathom-vcluster") / NAME
    if os.environ.get("XDG_RUNTIME_DIR"):
        return pathlib.Path(os.environ["XDG_RUNTIME_DIR"]) / "fathom-vcluster" / NAME
    return pathlib.Path(f"/tmp/fathom-vcluster-{os.geteuid()}") / NAME


class ClusterTest(unittest.TestCase):
    """Takes the cluster down after each test class, whatever happened."""

    options = None

    @classmethod
    def setUpClass(cls):
        # Down whatever happens next: also when setUpClass itself fails.
        cls.addClassCleanup(vcluster, "down")
        if cls.options is not None:
            done = vcluster("up", *cls.options)
            if done.returncode != 0:
                raise RuntimeError(done.stderr)

    def status(self):
        done = vcluster("status", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def on(self, host, *command, **options):
        done = vcluster("exec", host, "--", *command, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def assert_one_line(self, done, status):
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertEqual(done.stdout, "")

    def assert_job_ends(self, program):
        """No process of a job is left, on any host."""
        self.assertTrue(eventually(lambda: not processes_naming(program)), processes_naming(program))
        record = self.status()
        self.assertEqual([host["processes"] for host in record["hosts"]], [0] * len(record["hosts"]))
        self.assertEqual(record["front_processes"], 0)


class BadUsage(ClusterTest):
    def test_wrong_options_give_one_line_and_status_2(self):
        cases = [
            (["up"], "--hosts"),
            (["up", "--hosts", "0"], "'0'"),
            (["up", "--hosts", "100000"], "too many"),
            (["up", "--hosts", "2", "--rate", "fast"], "100mbit"),
            (["up", "--hosts", "2", "--rate", "1mbit,2mbit,3mbit"], "one per host"),
            (["up", "--hosts", "2", "--queue", "64k"], "--rate"),
            (["up", "--hosts", "2", "--loss", "100%"], "range"),
            (["up", "--hosts", "2", "--loss", "some"], "0.5%"),
            (["up", "--hosts", "2", "--clock-offset", "0,1,2"], "one per host"),
            (["up", "--hosts", "2", "--clock-offset", "0,soon"], "seconds"),
            (["up", "--hosts", "2", "--loss-probes", "maybe"], "--loss-probes"),
            (["up", "--hosts", "2", "--cpus", "0/0/0"], "one per host"),
            (["up", "--hosts", "2", "--cpus", "0/all"], "0/0-1"),
            (["front", "--mpi", "openmpi"], "after '--'"),
            (["run", "--mpi", "openmpi", "-n", "2"], "after '--'"),
            (["run", "--mpi", "lam", "-n", "2", "--", "true"], "--mpi"),
            (["run", "--mpi", "openmpi", "-n", "two", "--", "true"], "'two'"),
            (["exec", "h0"], "after '--'"),
            (["turn"], "turn"),
        ]
        for arguments, hint in cases:
            with self.subTest(arguments=arguments):
                done = vcluster(*arguments, name=None)
                self.assert_one_line(done, 2)
                self.assertIn(hint, done.stderr)
        self.assert_one_line(vcluster("up", "--hosts", "1", name="../x"), 2)

    def test_commands_that_need_a_cluster_say_how_to_start_it(self):
        for arguments in (["run", "--mpi", "openmpi", "-n", "2", "--", "true"], ["exec", "h0", "--", "true"],
                          ["front", "--mpi", "openmpi", "--", "true"]):
            done = vcluster(*arguments)
            self.assert_one_line(done, 3)
            self.assertIn("vcluster up", done.stderr)
        self.assertEqual(vcluster("status").returncode, 1)

    def test_every_command_has_help_with_an_example(self):
        for command in ("up", "run", "front", "down", "status", "exec", "check"):
            done = vcluster(command, "--help", name=None)
            self.assertEqual(done.returncode, 0)
            self.assertIn("example: vcluster", done.stdout)

    def test_an_impossible_clock_offset_is_refused_and_leaves_nothing(self):
        done = vcluster("up", "--hosts", "2", "--clock-offset", "0,-900000000")
        self.assert_one_line(done, 3)
        self.assertIn("clock offset", done.stderr)
        self.assertFalse(state_folder().exists())
        self.assertTrue(eventually(lambda: not processes_naming(NAME)))

    def test_a_missing_tool_is_named_with_its_package(self):
        with tempfile.TemporaryDirectory() as empty:
            code = (f"import shutil, sys; sys.path.insert(0, {os.path.dirname(VCLUSTER)!r}); "
                    f"shutil.which = lambda *a, **k: None; from virtual_cluster.command_line import main; "
                    f"sys.exit(main(['up', '--hosts', '1', '--name', {NAME!r}]))")
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                                  timeout=WAIT_S, cwd=empty)
        self.assert_one_line(done, 3)
        self.assertIn("apt install iproute2", done.stderr)


class UpAndDown(ClusterTest):
    def test_up_and_down_leave_nothing_behind(self):
        before = machine_state()
        done = vcluster("up", "--hosts", "3", "--rate", "1gbit", "--loss", "1%")
        self.assertEqual(done.returncode, 0, done.stderr)
        written = vcluster("exec", "h0", "--", "sh", "-c", f"echo mine > /dev/shm/{NAME} && cat /dev/shm/{NAME}")
        self.assertEqual(written.stdout, "mine\n")
        self.assertEqual(machine_state(), before)
        state = json.loads((state_folder() / "state.json").read_text())
        keepers = [state["front"]["pid"]] + [host["pid"] for host in state["hosts"]]
        networks = {processes()[pid] for pid in keepers}
        self.assertEqual(len(networks), 4)
        self.assertNotIn(os.stat("/proc/self/ns/net").st_ino, networks)
        # Something that runs in it and would not end by itself.
        orphan = vcluster("exec", "h1", "--", "sh", "-c", "sleep 600 >/dev/null 2>&1 & echo started")
        self.assertEqual(orphan.stdout, "started\n")
        self.assertEqual(json.loads(vcluster("status", "--json").stdout)["hosts"][1]["processes"], 1)

        self.assertEqual(vcluster("down").returncode, 0)
        self.assertFalse(state_folder().exists())
        self.assertEqual(machine_state(), before)
        self.assertEqual(networks & set(processes().values()), set())
        self.assertEqual(vcluster("down").returncode, 0, "a second down is no error")

    def test_up_twice_is_refused_and_another_name_is_not(self):
        other = NAME + "-other"
        self.addCleanup(vcluster, "down", name=other)
        self.addCleanup(vcluster, "down")
        self.assertEqual(vcluster("up", "--hosts", "1").returncode, 0)
        again = vcluster("up", "--hosts", "1")
        self.assert_one_line(again, 3)
        self.assertIn(f"vcluster down --name {NAME}", again.stderr)
        self.assertEqual(vcluster("up", "--hosts", "2", name=other).returncode, 0)
        self.assertEqual(vcluster("down", name=other).returncode, 0)
        self.assertEqual(self.on("h0", "hostname"), "h0", "the first cluster is untouched")

    def test_an_interrupted_up_takes_everything_down_again(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
            with self.subTest(signal=number):
                child = subprocess.Popen([VCLUSTER, "up", "--name", NAME, "--hosts", "60"],
                                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                self.assertTrue(eventually(lambda: len(processes_naming(NAME)) > 20))
                child.send_signal(number)
                _, complaint = child.communicate(timeout=WAIT_S)
                self.assertEqual(eventually(lambda: not processes_naming(NAME)), True)
                if number != signal.SIGKILL:
                    self.assertEqual(child.returncode, 128 + number, complaint)
                    self.assertFalse(state_folder().exists())
        # What a killed `up` leaves is one folder, and that does not stand in the way.
        self.assertEqual(vcluster("up", "--hosts", "1").returncode, 0)
        self.assertEqual(vcluster("down").returncode, 0)
        self.assertFalse(state_folder().exists())


class Hosts(ClusterTest):
    options = ["--hosts", "4", "--clock-offset", "0,100000,0.25,-3", "--loss-probes", "off"]

    def test_hosts_have_names_addresses_and_shared_memory_of_their_own(self):
        names = [self.on(f"h{index}", "hostname") for index in range(4)]
        self.assertEqual(names, ["h0", "h1", "h2", "h3"])
        self.assertEqual(len({host["address"] for host in self.status()["hosts"]}), 4)
        self.on("h0", "sh", "-c", "echo mine > /dev/shm/file")
        self.assertEqual(self.on("h1", "ls", "/dev/shm"), "")
        self.assertEqual(self.on("h2", "ls", "/sys/class/net").split(), ["eth0", "lo"])

    def test_clock_offsets_are_seen_on_the_monotonic_clock(self):
        code = "import time; print(time.clock_gettime_ns(time.CLOCK_MONOTONIC))"
        for index, offset_ns in enumerate((0, 100_000 * 10**9, 250_000_000, -3 * 10**9)):
            before = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
            theirs = int(self.on(f"h{index}", sys.executable, "-c", code))
            after = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
            self.assertLessEqual(before + offset_ns, theirs)
            self.assertLessEqual(theirs, after + offset_ns)
            self.assertEqual(self.status()["hosts"][index]["clock_offset_ns"], offset_ns)

    def test_loss_probes_are_off_in_every_host(self):
        for index in range(4):
            self.assertEqual(self.on(f"h{index}", "cat", "/proc/sys/net/ipv4/tcp_early_retrans"), "0")
            self.assertFalse(self.status()["hosts"][index]["loss_probes"])

    def test_exec_passes_input_output_and_status(self):
        done = vcluster("exec", "h3", "--", "sh", "-c", "cat; echo oops >&2; exit 7", input="text")
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("text", "oops\n", 7))
        self.assert_one_line(vcluster("exec", "h9", "--", "true"), 2)
        self.assertEqual(vcluster("exec", "h0", "--", "no-such-program").returncode, 127)


class Jobs:
    """What holds for both MPI libraries; mixed into one class for each."""

    flavour = None
    options = ["--hosts", "4"]

    @classmethod
    def setUpClass(cls):
        compiler = shutil.which(COMPILERS[cls.flavour])
        if not compiler:
            raise unittest.SkipTest(f"{COMPILERS[cls.flavour]} is not installed")
        super().setUpClass()
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"{NAME} with space "))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        source = cls.folder / "program.cpp"
        source.write_text(PROGRAM)
        cls.program = str(cls.folder / f"program of {cls.flavour}")
        subprocess.run([compiler, "-O1", str(source), "-o", cls.program], check=True, timeout=2 * WAIT_S,
                       capture_output=True)

    def run_job(self, ranks, *arguments, options=(), **more):
        return vcluster("run", "--mpi", self.flavour, "-n", str(ranks), *options, "--", *arguments, **more)

    def assert_ended_well(self, done):
        """The output of its ranks shows whether a job ran. Ranks of MPICH end without MPI_Finalize, which may hang; its launcher
        now and then takes that for an error of its own, after they have ended."""
        if self.flavour != "mpich":
            self.assertEqual(done.returncode, 0, done.stderr)

    def start_job(self, ranks):
        """A job whose ranks sleep, once they all do."""
        child = subprocess.Popen(
            [VCLUSTER, "run", "--name", NAME, "--mpi", self.flavour, "-n", str(ranks), "--", self.program, "sleep"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.wait, WAIT_S)
        self.addCleanup(child.kill)
        lines = [child.stdout.readline() for _ in range(ranks)]
        self.assertTrue(all(line.startswith("rank ") for line in lines), lines)
        return child

    def ranks_running(self):
        return [pid for pid in processes_naming(self.program)
                if os.path.realpath(f"/proc/{pid}/exe") == self.program]

    def sent_bytes(self, host):
        return int(self.on(host, "cat", "/sys/class/net/eth0/statistics/tx_bytes"))

    def test_each_rank_is_on_its_own_host(self):
        done = self.run_job(4, self.program, "hello")
        self.assert_ended_well(done)
        ranks = sorted(line.split()[1:4] for line in done.stdout.splitlines() if line.startswith("rank "))
        self.assertEqual(ranks, [[str(r), "host", f"h{r}"] for r in range(4)], done.stdout)
        self.assertIn("size 4", done.stdout)

    def test_several_ranks_of_a_host_are_neighbours(self):
        done = self.run_job(3, self.program, "hello", options=["--ranks-per-host", "2"])
        self.assert_ended_well(done)
        hosts = [line.split()[3] for line in sorted(done.stdout.splitlines()) if line.startswith("rank ")]
        self.assertEqual(hosts, ["h0", "h0", "h1"])
        self.assert_one_line(self.run_job(9, "true", options=["--ranks-per-host", "2"]), 2)

    def test_spaces_in_program_arguments_and_folder_are_kept(self):
        here = self.folder / "a  folder"
        here.mkdir()
        done = self.run_job(2, f"../{os.path.basename(self.program)}", "hello", "it's  \"so\" $HOME", cwd=here)
        self.assert_ended_well(done)
        self.assertEqual(done.stdout.count(f"folder [{here}] argument [it's  \"so\" $HOME]"), 2, done.stdout)

    def test_data_between_hosts_goes_over_the_network(self):
        size = 8_000_000
        before = self.sent_bytes("h0")
        done = self.run_job(2, self.program, "send", str(size))
        self.assert_ended_well(done)
        self.assertGreater(self.sent_bytes("h0") - before, size)

    def test_environment_is_passed_on_but_not_a_preload(self):
        environment = {**os.environ, "FATHOM_TEST": "one two", "OTHER_TEST": "3", "LD_PRELOAD": ""}
        script = 'echo "$FATHOM_TEST|$OTHER_TEST|${EXTRA_TEST}|${LD_PRELOAD-unset}"'
        done = self.run_job(2, "sh", "-c", script, options=["--env", "EXTRA_TEST=4"], env=environment)
        self.assertEqual(done.stdout.splitlines().count("one two||4|unset"), 2, done.stdout + done.stderr)

    def test_status_of_the_program_is_passed_on(self):
        self.assertEqual(self.run_job(2, "sh", "-c", "exit 5").returncode, 5)
        self.assertNotEqual(self.run_job(2, "./no-such-program").returncode, 0)

    def test_killed_runs_leave_no_process(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
            with self.subTest(signal=number):
                child = self.start_job(2)
                child.send_signal(number)
                status = child.wait(WAIT_S)
                self.assertEqual(status, -number if number == signal.SIGKILL else 128 + number)
                self.assert_job_ends(self.program)

    def test_a_run_whose_caller_is_killed_leaves_no_process(self):
        words = [VCLUSTER, "run", "--name", NAME, "--mpi", self.flavour, "-n", "2", "--", self.program, "sleep"]
        caller = subprocess.Popen([sys.executable, "-c", f"import subprocess; subprocess.run({words!r})"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(caller.wait, WAIT_S)
        self.addCleanup(caller.kill)
        self.assertTrue(eventually(lambda: len(self.ranks_running()) == 2))
        caller.kill()
        caller.wait(WAIT_S)
        self.assert_job_ends(self.program)

    def test_a_killed_rank_ends_the_job(self):
        child = self.start_job(2)
        os.kill(self.ranks_running()[-1], signal.SIGKILL)
        self.assertNotEqual(child.wait(WAIT_S), 0)
        self.assert_job_ends(self.program)

    def test_down_ends_a_running_job(self):
        child = self.start_job(2)
        try:
            self.assertEqual(vcluster("down").returncode, 0)
            self.assertEqual(child.wait(WAIT_S), 3)
            self.assertTrue(eventually(lambda: not processes_naming(self.program)))
        finally:
            self.assertEqual(vcluster("up", *self.options).returncode, 0)


class OpenMpiJobs(Jobs, ClusterTest):
    flavour = "openmpi"


class MpichJobs(Jobs, ClusterTest):
    flavour = "mpich"


# One sender and one receiver over plain sockets: no MPI library needed for the network's tests.
RECEIVE = """
import socket
listener = socket.create_server(("", 7000))
print("ready", flush=True)
link, _ = listener.accept()
while link.recv(1 << 16):
    pass
link.send(b"x")
"""
SEND = """
import socket, sys, time
size = int(sys.argv[2])
link = socket.create_connection((sys.argv[1], 7000))
start = time.monotonic()
link.sendall(bytes(size))
link.shutdown(socket.SHUT_WR)
link.recv(1)
print(size / (time.monotonic() - start))
"""


class Network(ClusterTest):
    def transfer(self, sender, receiver, size):
        """Sends size bytes between two hosts; returns bytes per second."""
        address = self.status()["hosts"][int(receiver[1:])]["address"]
        server = subprocess.Popen([VCLUSTER, "exec", "--name", NAME, receiver, "--", sys.executable, "-c", RECEIVE],
                                  stdout=subprocess.PIPE, text=True)
        try:
            self.assertEqual(server.stdout.readline(), "ready\n")
            return float(self.on(sender, sys.executable, "-c", SEND, address, str(size)))
        finally:
            server.terminate()
            server.wait(WAIT_S)
            server.stdout.close()


class Rate(Network):
    options = ["--hosts", "2", "--rate", "40mbit", "--queue", "64k"]

    def test_the_rate_holds_in_both_directions(self):
        for host in self.status()["hosts"]:
            self.assertEqual((host["rate_bits_per_s"], host["queue_bytes"]), (40_000_000, 65536))
        for sender, receiver in (("h0", "h1"), ("h1", "h0")):
            rate = self.transfer(sender, receiver, 4_000_000)
            # A busy machine may be slower than the link, but nothing may be faster.
            self.assertLess(rate, 1.1 * 40e6 / 8)


class UnequalRates(Network):
    options = ["--hosts", "3", "--rate", "40mbit,40mbit,4mbit"]

    def test_each_link_has_its_own_rate(self):
        self.assertEqual([host["rate_bits_per_s"] for host in self.status()["hosts"]],
                         [40_000_000, 40_000_000, 4_000_000])
        for sender, receiver in (("h0", "h2"), ("h2", "h0")):
            self.assertLess(self.transfer(sender, receiver, 400_000), 1.1 * 4e6 / 8)
        # Above the rate of the slow link: that of the others is ten times as much.
        harness.undisturbed(lambda: self.assertGreater(self.transfer("h0", "h1", 4_000_000), 1.1 * 4e6 / 8))


class Loss(Network):
    options = ["--hosts", "2", "--loss", "2.5%"]

    def test_packets_are_lost_in_the_share_asked_for(self):
        self.transfer("h0", "h1", 6_000_000)
        host = self.status()["hosts"][1]
        self.assertEqual(host["loss_percent"], 2.5)
        # 6 MB are 4100 packets or more: 103 losses expected, with a deviation of 10. Half as many or half as many again
        # are five deviations off: a false alarm in 1.7 million runs.
        self.assertGreater(host["arrived_packets"], 4000)
        share = host["dropped_packets"] / host["arrived_packets"]
        self.assertGreater(share, 0.0125)
        self.assertLess(share, 0.0375)


if __name__ == "__main__":
    check = vcluster("check", name=None)
    harness.main(skip_all=check.stderr.strip() if check.returncode == 77 else None)

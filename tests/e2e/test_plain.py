#!/usr/bin/env python3
"""Ordinary points are measured as a plain program runs: MPI_Init, the library's own settings, binding and memory."""

import json
import re
import shutil
import subprocess

import support
from support import DONE, SOURCE, FathomTest

COMPILERS = {"openmpi": ("mpicc.openmpi", "mpicc"), "mpich": ("mpicc.mpich", "mpicc"), "mpi": ("mpicc",)}
STEERING = re.compile(r"(OMPI|OPAL|ORTE|PMIX|MPICH|MPIR|PMI|HYDRA|HYDI|I_MPI|UCX|FI|PSM2|MV2)_")
# What does not change how the library works: what allows Open MPI to run as root, and the command that was started.
OWN = {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_COMMAND", "OMPI_ARGV", "OMPI_MCA_initial_wdir"}
# MPI_THREAD_MULTIPLE is the highest level of either library.
LEVELS = {"openmpi": 3, "mpich": 3}


class Plain(FathomTest):
    def compiled(self, flavour):
        compiler = next(path for path in map(shutil.which, COMPILERS[flavour]) if path)
        subprocess.run([compiler, "-O1", "-o", self.dir / f"plain-{flavour}", SOURCE / "bench" / "plain" / "pingpong.c"],
                       check=True, timeout=60)
        return self.dir / f"plain-{flavour}"

    def witnessed(self, name, run):
        """What the ranks of a job saw, in no order: (facts, number of times they asked MPI for memory)."""
        folder = self.dir / name
        folder.mkdir()
        run({"LD_PRELOAD": support.preload("witness"), "WITNESS_FOLDER": str(folder)})
        ranks = [json.loads(file.read_text(encoding="utf-8")) for file in folder.glob("*.json")]
        allocations = [int(file.read_text(encoding="utf-8")) for file in folder.glob("*.allocations")]
        shutil.rmtree(folder)
        self.assertEqual(len(ranks), 2, name)
        return ranks, allocations

    def of_plain_program(self, name, flavour, program):
        def run(environment):
            launcher = support.launcher_words(flavour, 2)[:3]  # without options
            subprocess.run([*launcher, program, "8", "10"], env={**self.environment(), **support.may_run_openmpi(), **environment},
                           cwd=self.dir, capture_output=True, check=True, timeout=support.WAIT_S)
        return self.witnessed(name, run)

    def of_fathom(self, name, flavour, *words):
        return self.witnessed(name, lambda environment: self.fathom(
            "run", "pingpong", "allreduce", *support.options_for(flavour), "-n", 2, "--sizes", "8", "--reps", 5, *words,
            env=environment, status=DONE))

    def test_a_rank_of_fathom_sees_what_a_rank_of_a_plain_program_sees(self):
        def settings(rank):
            return {name: value for name, value in rank["environment"].items() if STEERING.match(name) and name not in OWN}

        for flavour in support.flavours(*support.REAL):
            with self.subTest(flavour):
                program = self.compiled(flavour)
                plain, plain_memory = self.of_plain_program("plain", flavour, program)
                again, _ = self.of_plain_program("again", flavour, program)
                own, own_memory = self.of_fathom("own", flavour)
                program.unlink()
                self.assertEqual([rank["initialised"] for rank in own], ["MPI_Init"] * 2)
                self.assertEqual(sorted(rank["processors"] for rank in own), sorted(rank["processors"] for rank in plain))
                self.assertEqual(sorted(own_memory), sorted(plain_memory))
                # Some values are those of one job, such as ports: they differ between two of the same program.
                names = set(settings(plain[0]))
                fixed = {name for name in names
                         if len({rank["environment"].get(name) for rank in plain + again}) == 1}
                self.assertGreater(len(fixed), 0)
                for rank in own:
                    self.assertEqual(set(settings(rank)), names)
                    for name in fixed:
                        self.assertEqual(rank["environment"][name], plain[0]["environment"][name], name)

    def test_the_thread_level_is_that_which_was_asked_for_and_is_stated(self):
        for flavour in support.flavours(*LEVELS):
            with self.subTest(flavour):
                ranks, _ = self.of_fathom("multiple", flavour, "--thread-level", "multiple")
                self.assertEqual([(rank["initialised"], rank["requested"]) for rank in ranks],
                                 [("MPI_Init_thread", LEVELS[flavour])] * 2)
                shown = self.shown()
                self.assertEqual(shown["thread_levels"], ["multiple"])
                self.assertEqual(shown["environment"]["job"]["thread_level"], "MPI_THREAD_MULTIPLE")
                self.assertIn("MPI was initialised at thread level multiple", self.fathom("show", "last", status=DONE).stdout)

    def test_thread_levels_are_compared_in_jobs_of_their_own(self):
        flavour = support.a_real_flavour()
        self.fathom("run", "allreduce", *support.options_for(flavour), "--sizes", "8", "--runs", 2, "--reps", 20,
                    "--thread-level", "single,multiple", status=DONE)
        shown = self.shown()
        self.assertEqual([point["settings"] for point in shown["points"]],
                         [{"thread_level": "single"}, {"thread_level": "multiple"}])
        self.assertEqual([one["values"] for one in shown["vary"][0]["settings"]],
                         [{"thread_level": "single"}, {"thread_level": "multiple"}])


if __name__ == "__main__":
    support.main()

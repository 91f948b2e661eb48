#include "launch/failure_cause.hpp"

#include <gtest/gtest.h>

namespace fathom::launch {
namespace {

const std::vector<store::RankRow> ranks{
    {0, "vm", 12'344, ""}, {1, "vm", 12'345, ""}, {2, "other", 12'345, ""}};

std::string mpich_words(const std::string& cause, const std::string& rest) {
    return R"(
===================================================================================
=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES
=   PID 12345 RUNNING AT vm
=   )" + cause +
           R"(
=   CLEANING UP REMAINING PROCESSES
=   YOU CAN IGNORE THE BELOW CLEANUP MESSAGES
===================================================================================
)" + rest;
}

TEST(FailureCause, QuotesTheProbesOwnWords) {
    EXPECT_EQ(failure_cause("fathom-probe: rank 3 on c7: MPI_Bcast: out of memory\n"
                            "MPI_ABORT was invoked on rank 3 in communicator MPI_COMM_WORLD\n",
                            ranks),
              "rank 3 on c7: MPI_Bcast: out of memory");
}

TEST(FailureCause, PrefersTheProbesWordsToTheLaunchers) {
    EXPECT_EQ(failure_cause(
                  "mpirun noticed that process rank 1 with PID 0 on node h1 exited on signal 6 (Aborted).\n"
                  "fathom-probe: rank 1 on h1: the disk is full\n",
                  ranks),
              "rank 1 on h1: the disk is full");
}

TEST(FailureCause, ReadsASignalFromOpenMpi) {
    EXPECT_EQ(failure_cause(R"(--------------------------------------------------------------------------
Primary job  terminated normally, but 1 process returned
a non-zero exit code. Per user-direction, the job has been aborted.
--------------------------------------------------------------------------
--------------------------------------------------------------------------
mpirun noticed that process rank 1 with PID 0 on node h1 exited on signal 9 (Killed).
--------------------------------------------------------------------------
)",
                            ranks),
              "rank 1 on node h1 died (signal 9)");
}

TEST(FailureCause, ReadsAnExitStatusFromOpenMpi) {
    EXPECT_EQ(failure_cause(R"(--------------------------------------------------------------------------
mpirun.openmpi detected that one or more processes exited with non-zero status, thus causing
the job to be terminated. The first process to do so was:

  Process name: [[37243,1],17]
  Exit code:    3
--------------------------------------------------------------------------
)",
                            ranks),
              "rank 17 ended with exit status 3");
}

TEST(FailureCause, NamesTheMendWhereOpenMpiRefusesRoot) {
    EXPECT_EQ(failure_cause("mpirun has detected an attempt to run as root.\n\nRunning as root is *strongly*",
                            ranks),
              "Open MPI refuses to run as root; add --allow-run-as-root if that is what you want");
}

TEST(FailureCause, NamesTheMendWhereOpenMpiHasTooFewSlots) {
    EXPECT_EQ(failure_cause("There are not enough slots available in the system to satisfy the 8\n"
                            "slots that were requested by the application:\n",
                            ranks),
              "Open MPI has too few slots for this many processes; add --oversubscribe to the launcher or "
              "use fewer");
}

TEST(FailureCause, ReadsASignalFromMpichAndFindsTheRank) {
    EXPECT_EQ(
        failure_cause(mpich_words("EXIT CODE: 9",
                                  "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)\n"
                                  "This typically refers to a problem with your application.\n"),
                      ranks),
        "rank 1 on node vm died (signal 9)");
}

TEST(FailureCause, ReadsAnExitStatusFromMpich) {
    EXPECT_EQ(failure_cause(mpich_words("EXIT CODE: 3", ""), ranks),
              "rank 1 on node vm died (exit status 3)");
}

TEST(FailureCause, ReadsTheOtherWordsOfHydra) {
    EXPECT_EQ(failure_cause(mpich_words("KILLED BY SIGNAL: 11 (Segmentation fault)", ""), ranks),
              "rank 1 on node vm died (signal 11)");
}

TEST(FailureCause, BelievesHydrasExitStringRatherThanItsExitCode) {
    EXPECT_EQ(failure_cause(
                  mpich_words("EXIT CODE: 9", "") +
                      "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Segmentation fault (signal 11)\n",
                  ranks),
              "rank 1 on node vm died (signal 11)");
}

TEST(FailureCause, SurvivesEndlessLines) {
    EXPECT_EQ(failure_cause("fathom-probe: rank 1 on c3: " + std::string(60'000, 'x') + "\n", ranks)
                  .value_or("")
                  .substr(0, 20),
              "rank 1 on c3: xxxxxx");
}

TEST(FailureCause, TellsTwoHostsWithTheSameProcessNumberApart) {
    auto words = mpich_words("EXIT CODE: 3", "");
    words.replace(words.find("RUNNING AT vm"), 13, "RUNNING AT other");
    EXPECT_EQ(failure_cause(words, ranks), "rank 2 on node other died (exit status 3)");
}

TEST(FailureCause, NamesTheProcessWhereItsRankIsNotKnown) {
    EXPECT_EQ(failure_cause(mpich_words("EXIT CODE: 3", ""), {}),
              "process 12345 on node vm died (exit status 3)");
}

TEST(FailureCause, ReadsSlurm) {
    EXPECT_EQ(failure_cause("srun: error: c3: task 17: Segmentation fault (core dumped)\n"
                            "srun: launch/slurm: _step_signal: Terminating StepId=1.0\n",
                            ranks),
              "rank 17 on node c3 died (Segmentation fault (core dumped))");
    EXPECT_EQ(failure_cause("srun: error: c3: task 2: Exited with exit code 1\n", ranks),
              "rank 2 on node c3 died (Exited with exit code 1)");
}

TEST(FailureCause, ReadsSimGrid) {
    EXPECT_EQ(failure_cause("Execution failed with code 137.\n", ranks), "the simulation died (signal 9)");
    EXPECT_EQ(failure_cause("Segmentation fault.\nExecution failed with code 139.\n", ranks),
              "the simulation died (signal 11)");
    EXPECT_EQ(failure_cause("Execution failed with code 3.\n", ranks),
              "the simulation ended with exit status 3");
}

TEST(FailureCause, SaysNothingWhereNothingWasSaid) {
    EXPECT_EQ(failure_cause("", ranks), std::nullopt);
    EXPECT_EQ(failure_cause("bash: srun: command not found\n", ranks), std::nullopt);
    EXPECT_EQ(failure_cause("fathom-probe: nothing in particular\n", ranks), std::nullopt);
}

TEST(LostLink, IsSeenInTheWordsOfTheLibraries) {
    EXPECT_TRUE(lost_a_link("[n1][[1,1],0][btl_tcp_frag.c:241] readv failed: No route to host (113)\n"));
    EXPECT_TRUE(lost_a_link("ORTE has lost communication with a remote daemon.\n"));
    EXPECT_FALSE(
        lost_a_link("[n1][[1,1],0][btl_tcp_frag.c:241] readv failed: Connection reset by peer (104)\n"))
        << "that is a partner's death as well";
}

}  // namespace
}  // namespace fathom::launch

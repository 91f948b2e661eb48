#include "launch/command.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_support.hpp"

namespace fathom::launch {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using testing::refusal_of;
using Words = std::vector<std::string>;

Request request(plan::Flavour flavour, int procs, int cores) {
    Request asked;
    asked.flavour = flavour;
    asked.procs = procs;
    asked.room = {{{"c1", procs, cores}}};
    asked.launcher = "/opt/mpi/launch";
    asked.probe = fmt::format("/opt/fathom/fathom-probe-{}", to_text(flavour));
    asked.job = "/tmp/job.toml";
    return asked;
}

/// The words after the launcher itself.
Words words_after_launcher(const Request& asked) {
    auto words = command_for(asked).words;
    EXPECT_EQ(words.front(), "/opt/mpi/launch");
    words.erase(words.begin());
    return words;
}

TEST(Command, PlacesSoManyProcessesOnEachHost) {
    auto asked = request(plan::Flavour::openmpi, 4, 4);
    asked.ranks_per_host = 2;
    EXPECT_THAT(words_after_launcher(asked), Contains("ppr:2:node"));
    asked.progress_thread = true;
    asked.room = {{{"c1", 2, 4}, {"c2", 2, 4}}};
    EXPECT_THAT(words_after_launcher(asked), Contains("ppr:2:node:PE=2"));
    asked = request(plan::Flavour::mpich, 4, 4);
    asked.ranks_per_host = 2;
    const auto words = words_after_launcher(asked);
    const auto option = std::find(words.begin(), words.end(), "-ppn");
    ASSERT_NE(option, words.end());
    EXPECT_EQ(*(option + 1), "2");
    asked.custom = "srun -n {n} --ntasks-per-node={ranks-per-host}";
    EXPECT_THAT(command_for(asked).words, Contains("--ntasks-per-node=2"));
    asked.ranks_per_host.reset();
    EXPECT_THAT(command_for(asked).words, Contains("--ntasks-per-node={ranks-per-host}"));
}

/// The same with every rank on a core of its own, if that is possible.
Request bound_request(plan::Flavour flavour, int procs, int cores) {
    auto asked = request(flavour, procs, cores);
    asked.bind = plan::Bind::core;
    return asked;
}

TEST(Command, LeavesBindingToTheLauncherAsAPlainProgramDoes) {
    EXPECT_THAT(words_after_launcher(request(plan::Flavour::openmpi, 2, 4)),
                ElementsAre("-n", "2", "/opt/fathom/fathom-probe-openmpi", "/tmp/job.toml"));
    EXPECT_THAT(words_after_launcher(request(plan::Flavour::mpich, 2, 4)),
                ElementsAre("-n", "2", "/opt/fathom/fathom-probe-mpich", "/tmp/job.toml"));
    EXPECT_THAT(words_after_launcher(request(plan::Flavour::mpich, 3, 2)),
                ElementsAre("-n", "3", "/opt/fathom/fathom-probe-mpich", "/tmp/job.toml"));
    EXPECT_THAT(
        words_after_launcher(request(plan::Flavour::openmpi, 5, 4)),
        ElementsAre("-n", "5", "--oversubscribe", "/opt/fathom/fathom-probe-openmpi", "/tmp/job.toml"))
        << "without which it would not start";
}

TEST(Command, BindsToCoresOrToNothingOnRequest) {
    auto asked = bound_request(plan::Flavour::openmpi, 2, 4);
    EXPECT_THAT(
        words_after_launcher(asked),
        ElementsAre("-n", "2", "--bind-to", "core", "/opt/fathom/fathom-probe-openmpi", "/tmp/job.toml"));
    asked.bind = plan::Bind::none;
    EXPECT_THAT(
        words_after_launcher(asked),
        ElementsAre("-n", "2", "--bind-to", "none", "/opt/fathom/fathom-probe-openmpi", "/tmp/job.toml"));
}

TEST(Command, TellsTheProbeOfAThreadLevelThatAPlainProgramDoesNotHave) {
    auto asked = request(plan::Flavour::openmpi, 2, 4);
    EXPECT_THAT(command_for(asked).words, Not(Contains("--thread-level")));
    asked.thread_level = plan::ThreadLevel::serialized;
    auto words = command_for(asked).words;
    ASSERT_GT(words.size(), 3U);
    words.erase(words.begin(), words.end() - 3);
    EXPECT_THAT(words, ElementsAre("/tmp/job.toml", "--thread-level", "serialized"));
    asked.custom = "srun -n {n}";
    EXPECT_EQ(command_for(asked).words.back(), "serialized");
}

TEST(Command, OfOpenMpiSharesCoresOnlyWhereItMust) {
    const auto crowded = words_after_launcher(bound_request(plan::Flavour::openmpi, 5, 4));
    EXPECT_THAT(crowded, ElementsAre("-n", "5", "--bind-to", "none", "--oversubscribe",
                                     "/opt/fathom/fathom-probe-openmpi", "/tmp/job.toml"));
    EXPECT_THAT(words_after_launcher(bound_request(plan::Flavour::openmpi, 4, 4)), Contains("core"));
}

TEST(Command, FollowsTheCoresOfTheHostsThatRunIt) {
    auto asked = bound_request(plan::Flavour::openmpi, 6, 1);
    asked.room = {{{"c1", 3, 4}, {"c2", 3, 4}}};
    EXPECT_THAT(words_after_launcher(asked), ::testing::Contains("core")) << "more ranks than on either host";
    asked.room = {{{"c1", 3, 8}, {"c2", 3, 2}}};
    EXPECT_THAT(words_after_launcher(asked), ::testing::Contains("--oversubscribe")) << "one is enough";
    asked.room = {{{"c1", 3, 8}, {"c2", 3, 6}}};
    asked.progress_thread = true;
    EXPECT_THAT(words_after_launcher(asked), ::testing::Contains("slot:PE=2"));
    asked.room.hosts[1].cores = 5;
    EXPECT_THAT(words_after_launcher(asked), ::testing::Not(::testing::Contains("slot:PE=2")));
}

TEST(Command, AsksEveryProcessForItsCoresUnbound) {
    auto asked = request(plan::Flavour::openmpi, 2, 4);
    asked.progress_thread = true;
    const auto command = command_to_ask_for_cores(asked);
    EXPECT_THAT(command.words, ElementsAre("/opt/mpi/launch", "-n", "2", "--bind-to", "none",
                                           "--oversubscribe", "/opt/fathom/fathom-probe-openmpi", "--cores"));
    EXPECT_THAT(command.environment, IsEmpty());
}

TEST(Command, OfMpichBindsToCoresWhereThereAreEnough) {
    const auto words = words_after_launcher(bound_request(plan::Flavour::mpich, 2, 2));
    EXPECT_THAT(
        words, ElementsAre("-n", "2", "-bind-to", "core", "/opt/fathom/fathom-probe-mpich", "/tmp/job.toml"));
    EXPECT_THAT(
        words_after_launcher(bound_request(plan::Flavour::mpich, 3, 2)),
        ElementsAre("-n", "3", "-bind-to", "none", "/opt/fathom/fathom-probe-mpich", "/tmp/job.toml"));
}

TEST(Command, PassesVariablesOnToOtherHosts) {
    auto asked = request(plan::Flavour::openmpi, 2, 4);
    asked.variables = {{"OMPI_MCA_btl", "tcp"}, {"UCX_TLS", "sm"}};
    EXPECT_THAT(words_after_launcher(asked),
                ElementsAre("-n", "2", "-x", "UCX_TLS", "/opt/fathom/fathom-probe-openmpi", "/tmp/job.toml"))
        << "Open MPI passes on its own parameters anyway";
    EXPECT_THAT(command_for(asked).environment,
                ElementsAre(Pair("OMPI_MCA_btl", "tcp"), Pair("UCX_TLS", "sm")));
}

TEST(Command, OfAnotherMpiNamesTheNumberOnly) {
    const auto words = words_after_launcher(request(plan::Flavour::mpi, 3, 2));
    EXPECT_THAT(words, ElementsAre("-n", "3", "/opt/fathom/fathom-probe-mpi", "/tmp/job.toml"));
}

TEST(Command, OfASimulationNamesPlatformHostsAndSettings) {
    auto asked = request(plan::Flavour::smpi, 8, 2);
    asked.hostfile = "/tmp/hosts";
    asked.platform = Platform{};
    asked.platform->file = "/opt/pure-16.xml";
    asked.platform->config = {{"network/model", "CM02"}, {"smpi/wtime", "0"}};
    const auto words = words_after_launcher(asked);
    EXPECT_THAT(words, ElementsAre("-np", "8", "-platform", "/opt/pure-16.xml", "-hostfile", "/tmp/hosts",
                                   "--log=root.threshold:error", "--cfg=smpi/privatization:no",
                                   "--cfg=network/model:CM02", "--cfg=smpi/wtime:0",
                                   "/opt/fathom/fathom-probe-smpi", "/tmp/job.toml"));
}

TEST(Command, WithoutALauncherNamesTheMend) {
    auto asked = request(plan::Flavour::mpi, 2, 2);
    asked.launcher.clear();
    EXPECT_EQ(refusal_of([&] { command_for(asked); }),
              "no launcher is known for flavour 'mpi'; name one with --launcher 'mpirun -n {n}'.");
}

TEST(CustomCommand, ReplacesEveryCountAndAppendsTheProbe) {
    auto asked = request(plan::Flavour::openmpi, 64, 2);
    asked.custom = "srun -n {n} --label=x{n}y{n} 'two words' \"{n} of {n}\"";
    EXPECT_THAT(command_for(asked).words,
                ElementsAre("srun", "-n", "64", "--label=x64y64", "two words", "64 of 64",
                            "/opt/fathom/fathom-probe-openmpi", "/tmp/job.toml"));
}

TEST(CustomCommand, NeedsNoCountAndNoLauncher) {
    auto asked = request(plan::Flavour::mpi, 64, 2);
    asked.launcher.clear();
    asked.custom = "srun";
    EXPECT_THAT(command_for(asked).words,
                ElementsAre("srun", "/opt/fathom/fathom-probe-mpi", "/tmp/job.toml"));
}

TEST(CustomCommand, LeavesOtherBracesAlone) {
    auto asked = request(plan::Flavour::openmpi, 2, 2);
    asked.custom = "run {m} {} {n";
    EXPECT_THAT(command_for(asked).words,
                ElementsAre("run", "{m}", "{}", "{n", "/opt/fathom/fathom-probe-openmpi", "/tmp/job.toml"));
}

TEST(CommandEnvironment, LetsOpenMpiRunAsRootOnlyIfAsked) {
    auto asked = request(plan::Flavour::openmpi, 2, 2);
    asked.custom = "mpirun";
    EXPECT_THAT(command_for(asked).environment, IsEmpty());
    asked.allow_root = true;
    EXPECT_THAT(command_for(asked).environment, ElementsAre(Pair("OMPI_ALLOW_RUN_AS_ROOT", "1"),
                                                            Pair("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")));
}

TEST(CommandWithAProgressThread, AsksTheLibraryInItsOwnWords) {
    auto asked = request(plan::Flavour::mpich, 2, 2);
    EXPECT_THAT(command_for(asked).environment, IsEmpty());
    asked.progress_thread = true;
    EXPECT_THAT(command_for(asked).environment, ElementsAre(Pair("MPICH_ASYNC_PROGRESS", "1")));
    asked.flavour = plan::Flavour::openmpi;
    asked.allow_root = true;
    EXPECT_THAT(command_for(asked).environment,
                ElementsAre(Pair("OMPI_ALLOW_RUN_AS_ROOT", "1"), Pair("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
                            Pair("OMPI_MCA_btl_tcp_progress_thread", "1")));
}

TEST(CommandWithAProgressThread, AsksThroughALauncherOfTheUserToo) {
    auto asked = request(plan::Flavour::mpich, 2, 8);
    asked.custom = "srun -n {n}";
    asked.progress_thread = true;
    const auto command = command_for(asked);
    EXPECT_THAT(command.environment, ElementsAre(Pair("MPICH_ASYNC_PROGRESS", "1")));
    EXPECT_THAT(command.words,
                ElementsAre("srun", "-n", "2", "/opt/fathom/fathom-probe-mpich", "/tmp/job.toml"));
}

TEST(CommandWithAProgressThread, GivesItACoreOfItsOwnWhereThereIsOne) {
    auto asked = request(plan::Flavour::mpich, 2, 4);
    asked.progress_thread = true;
    EXPECT_THAT(words_after_launcher(asked), ::testing::Contains("core:2"));
    asked.room = {{{"c1", 2, 3}}};
    EXPECT_THAT(words_after_launcher(asked), Not(Contains("-bind-to")));
    asked.bind = plan::Bind::core;
    EXPECT_THAT(words_after_launcher(asked), Contains("core"));
    asked = request(plan::Flavour::openmpi, 2, 4);
    EXPECT_THAT(words_after_launcher(asked), ::testing::Not(::testing::Contains("slot:PE=2")));
    asked.progress_thread = true;
    EXPECT_THAT(words_after_launcher(asked), ::testing::Contains("slot:PE=2"));
    asked.room = {{{"c1", 2, 3}}};
    EXPECT_THAT(words_after_launcher(asked), ::testing::Not(::testing::Contains("slot:PE=2")));
}

TEST(CommandBesideOnesWithAProgressThread, BindsAsTheyDo) {
    auto asked = request(plan::Flavour::mpich, 2, 4);
    asked.against_progress_thread = true;
    EXPECT_THAT(words_after_launcher(asked), Contains("core"));
    asked.room = {{{"c1", 2, 3}}};
    EXPECT_THAT(words_after_launcher(asked), Not(Contains("-bind-to"))) << "neither is bound then";
    asked.room = {{{"c1", 2, 4}}};
    asked.bind = plan::Bind::none;
    EXPECT_THAT(words_after_launcher(asked), Not(Contains("core")));
}

}  // namespace
}  // namespace fathom::launch

#include "tune/files/open_mpi_rules.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::tune {
namespace {

/// The numbers of a file as Open MPI reads it: whatever follows # is skipped.
std::vector<long> numbers_of(const std::string& text) {
    std::vector<long> numbers;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line.substr(0, line.find('#')));
        for (long number = 0; words >> number;) {
            numbers.push_back(number);
        }
    }
    return numbers;
}

Rule rule(std::int64_t first, std::int64_t last, int number) {
    return {.first = {first},
            .last = {last},
            .algorithm = "some",
            .number = number,
            .remark = "1.2 times as fast"};
}

constexpr OpenMpiVersion old{4, 1, 4};

TEST(OpenMpiRules, LeaveAllElseToTheLibrary) {
    const RuleFile file{.remarks = {"a remark"}, .sets = {{"allreduce", 8, 8, {rule(1024, 4096, 3)}}}};
    const auto text = open_mpi_rules(file, old);
    EXPECT_THAT(numbers_of(text), ::testing::ElementsAre(1, 2, 3,           // allreduce, three communicators
                                                         0, 1, 0, 0, 0, 0,  // smaller communicators
                                                         8, 3,              // processes, messages
                                                         0, 0, 0, 0,        // below
                                                         1024, 3, 0, 0,     // the rule
                                                         4097, 0, 0, 0,     // above
                                                         9, 1, 0, 0, 0, 0));  // larger communicators
    EXPECT_TRUE(text.starts_with("# a remark\n")) << text;
}

TEST(OpenMpiRules, CountBytesAsTheLibraryDoes) {
    const RuleFile file{.remarks = {}, .sets = {{"allgather", 4, 4, {rule(8, 64, 2)}}}};
    EXPECT_THAT(numbers_of(open_mpi_rules(file, old)),
                ::testing::ElementsAre(1, 0, 3, 0, 1, 0, 0, 0, 0, 4, 3, 0, 0, 0, 0, 32, 2, 0, 0, 257, 0, 0, 0,
                                       5, 1, 0, 0, 0, 0));
    EXPECT_EQ(open_mpi_message_bytes("bcast", {100}, 8), 100);
    EXPECT_EQ(open_mpi_message_bytes("alltoall", {100}, 8), 800);
    EXPECT_EQ(open_mpi_message_bytes("barrier", {0}, 8), 0);
}

TEST(OpenMpiRules, MayFollowEachOtherWithoutAGap) {
    const RuleFile file{.remarks = {},
                        .sets = {{"bcast", 8, 8, {rule(0, 100, 6), rule(101, 200, 3)}},
                                 {"bcast", 9, 9, {rule(0, 50, 1)}},
                                 {"barrier", 4, 4, {rule(0, 0, 6)}}}};
    EXPECT_THAT(numbers_of(open_mpi_rules(file, old)),
                ::testing::ElementsAre(2,                                                           //
                                       6, 3, 0, 1, 0, 0, 0, 0, 4, 1, 0, 6, 0, 0, 5, 1, 0, 0, 0, 0,  // barrier
                                       7, 4, 0, 1, 0, 0, 0, 0,                                      // bcast
                                       8, 3, 0, 6, 0, 0, 101, 3, 0, 0, 201, 0, 0, 0, 9, 2, 0, 1, 0, 0, 51, 0,
                                       0, 0, 10, 1, 0, 0, 0, 0));
}

TEST(OpenMpiRules, HaveParametersAndTheFormOfTheirVersion) {
    auto chain = rule(1024, 2048, 2);
    chain.fanout = 4;
    chain.segment = 8192;
    chain.requests = 16;
    const RuleFile file{.remarks = {"a remark"}, .sets = {{"bcast", 8, 8, {chain}}}};
    EXPECT_THAT(numbers_of(open_mpi_rules(file, old)), ::testing::Contains(8192));
    const auto newer = open_mpi_rules(file, {5, 0, 7});
    EXPECT_TRUE(newer.starts_with("rule-file-version-2\n# a remark\n")) << newer;
    EXPECT_NE(newer.find("1024 2 4 8192 16"), std::string::npos) << newer;
    EXPECT_EQ(open_mpi_rules(file, {5, 0, 6}), open_mpi_rules(file, old));
}

TEST(OpenMpiVersion, IsInTheNameOfTheLibrary) {
    EXPECT_EQ(open_mpi_version("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4"),
              (OpenMpiVersion{4, 1, 4}));
    EXPECT_EQ(open_mpi_version("Open MPI v5.0.8rc1, package"), (OpenMpiVersion{5, 0, 8}));
    EXPECT_FALSE(open_mpi_version("MPICH Version: 4.0.2"));
    EXPECT_FALSE(open_mpi_version("Open MPI vx"));
}

TEST(OpenMpiRules, HoldForOtherNumbersOfProcessesUnlessTheAlgorithmNeedsParticularOnes) {
    EXPECT_TRUE(open_mpi_takes_any_size("ring"));
    EXPECT_TRUE(open_mpi_takes_any_size("binomial"));
    for (const auto* name : {"recursive_doubling", "neighbor", "two_proc", "butterfly"}) {
        EXPECT_FALSE(open_mpi_takes_any_size(name)) << name;
    }
}

TEST(OpenMpiRules, AreThereForWhatTheTunedComponentHas) {
    EXPECT_TRUE(open_mpi_has_rules("alltoall"));
    EXPECT_FALSE(open_mpi_has_rules("iallreduce"));
    EXPECT_FALSE(open_mpi_has_rules("gatherv"));
    EXPECT_FALSE(open_mpi_has_rules("gather")) << "the root may pass no data";
    EXPECT_FALSE(open_mpi_has_rules("scan")) << "a rule would hold for all sizes";
    EXPECT_TRUE(open_mpi_reduces("reduce_scatter"));
    EXPECT_FALSE(open_mpi_reduces("alltoall"));
}

}  // namespace
}  // namespace fathom::tune

#include "report/matrix_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "journal/json.hpp"
#include "plan/pairing.hpp"
#include "report/terminals.hpp"

namespace fathom::report {
namespace {

using analysis::MatrixResult;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Ranks in turn on hosts; a time of 1000 ns per pair, but for those of the last rank.
MatrixResult matrix(int procs, int ranks_per_host, std::int64_t size, double last_ns) {
    MatrixResult result{.key = {.operation = "matrix",
                                .pattern = std::string(plan::pair_per_host),
                                .procs = procs,
                                .size = {size}}};
    for (int b = 0; b < procs; ++b) {
        result.ranks.push_back(b);
        result.hosts.push_back("h" + std::to_string(b / ranks_per_host));
        for (int a = 0; a < b; ++a) {
            const double time = b == procs - 1 ? last_ns : 1000;
            result.pairs.push_back(analysis::summary_of({time, time, time}));
        }
    }
    return result;
}

analysis::RunResult run_of(std::vector<MatrixResult> matrices) {
    analysis::RunResult result;
    result.matrices = std::move(matrices);
    result.slow_components = analysis::slow_components_of(result.matrices);
    return result;
}

TEST(MatrixText, ShowsEveryPairOfAFewRanksAndMarksSlowOnes) {
    EXPECT_EQ(
        matrix_text(run_of({matrix(4, 1, 8, 12'345)}), plain),
        "\n"
        "matrix, 8 B, 4 processes: one-way time in us, median of each pair\n"
        "rank  host      0       1       2       3\n"
        "   0  h0        -\n"
        "   1  h1     1.00       -\n"
        "   2  h2     1.00    1.00       -\n"
        "   3  h3    12.35*  12.35*  12.35*      -\n"
        "* takes 1.5 times the median or longer\n"
        "6 pairs, median 1.00 us; slowest: 12.3 us between ranks 0 and 3\n"
        "\n"
        "What stands out\n"
        "  1. host h3: 8 B messages with others take 12.3 times the median (12.3 us against 1.00 us).\n");
}

TEST(MatrixText, TellsSocketsAndNumaNodesApart) {
    auto two_sockets = matrix(4, 4, 8, 1000);
    two_sockets.sockets = {0, 0, 1, 1};
    two_sockets.numa_nodes = {0, 1, 2, 2};
    const auto set = [&](std::size_t a, std::size_t b, double time) {
        two_sockets.pairs[MatrixResult::place(a, b)] = analysis::summary_of({time, time, time});
    };
    set(0, 1, 700);
    set(2, 3, 400);
    set(1, 3, 1800);
    EXPECT_THAT(matrix_text(run_of({two_sockets}), plain),
                HasSubstr("rank  host            0      1      2      3\n"
                          "   0  h0 socket 0     -\n"
                          "   1  h0 socket 0  0.70      -\n"
                          "   2  h0 socket 1  1.00   1.00      -\n"
                          "   3  h0 socket 1  1.00   1.80*  0.40      -\n"
                          "* takes 1.5 times the median or longer\n"
                          "6 pairs, median 1.00 us between sockets, 700 ns within a socket and 400 ns within "
                          "a NUMA node; slowest: 1.80 us between ranks 1 and 3 (between sockets)\n"));
    const auto json = matrix_json(two_sockets);
    EXPECT_EQ(json["sockets"].dump(), "[0,0,1,1]");
    EXPECT_EQ(json["numa_nodes"].dump(), "[0,1,2,2]");
}

TEST(MatrixText, ShowsRatesOfLargeMessages) {
    const auto text = matrix_text(run_of({matrix(3, 1, 65'536, 1000)}), plain);
    EXPECT_THAT(text, HasSubstr("matrix, 64 KiB, 3 processes: bandwidth in GB/s, median of each pair\n"
                                "rank  host     0      1      2\n"
                                "   0  h0       -\n"
                                "   1  h1    65.5      -\n"
                                "   2  h2    65.5   65.5      -\n"
                                "3 pairs, median 65.5 GB/s; slowest: 65.5 GB/s"));
    EXPECT_THAT(text, HasSubstr("\nNo process, host or link stands out.\n"));
    EXPECT_THAT(matrix_text(run_of({matrix(3, 1, 65'535, 1000)}), plain), HasSubstr("one-way time in us"));
}

TEST(MatrixText, SaysWhyNothingCanBeTold) {
    EXPECT_THAT(matrix_text(run_of({matrix(2, 1, 8, 1000)}), plain),
                HasSubstr("\nNo process, host or link stands out: with only two hosts, a slow one cannot be "
                          "identified.\n"));
}

TEST(MatrixText, ColoursWhatIsSlow) {
    const auto slow = matrix_text(run_of({matrix(4, 1, 8, 2'000)}), colourful);
    EXPECT_THAT(slow, HasSubstr("\x1b[33m2.00*\x1b[0m"));
    EXPECT_THAT(slow, HasSubstr("  1.00 "));
    EXPECT_THAT(matrix_text(run_of({matrix(4, 1, 8, 3'000)}), colourful), HasSubstr("\x1b[31m3.00*\x1b[0m"));
    EXPECT_THAT(matrix_text(run_of({matrix(4, 1, 8, 3'000)}), plain), Not(HasSubstr("\x1b")));
}

TEST(MatrixText, ShowsHostsOfManyRanks) {
    const auto text = matrix_text(run_of({matrix(18, 6, 8, 1000)}), plain);
    EXPECT_THAT(text,
                HasSubstr("matrix, 8 B, 18 processes: one-way time in us, median of each pair of hosts\n"
                          "host    h0     h1     h2\n"
                          "h0    1.00\n"
                          "h1    1.00   1.00\n"
                          "h2    1.00   1.00   1.00\n"
                          "153 pairs, median 1.00 us between hosts and 1.00 us within a host; slowest: "));
    EXPECT_THAT(matrix_text(run_of({matrix(17, 1, 8, 1000)}), plain),
                HasSubstr("\nmatrix, 8 B, 17 processes: 136 pairs, median 1.00 us; slowest: 1.00 us between "
                          "ranks 0 and 1\n"));
    EXPECT_THAT(matrix_text(run_of({matrix(17, 17, 8, 1000)}), plain),
                HasSubstr("\nmatrix, 8 B, 17 processes: 136 pairs, median 1.00 us; slowest"));
}

TEST(MatrixText, OfManySizesShowsTheSmallestAndTheLargest) {
    std::vector<MatrixResult> matrices;
    for (const std::int64_t size : {8, 16, 32, 64, 128}) {
        matrices.push_back(matrix(3, 1, size, 1000));
    }
    const auto text = matrix_text(run_of(matrices), plain);
    EXPECT_THAT(text, HasSubstr("matrix, 8 B,"));
    EXPECT_THAT(text, HasSubstr("matrix, 128 B,"));
    EXPECT_THAT(text, Not(HasSubstr("matrix, 32 B,")));
    EXPECT_THAT(text, HasSubstr("The matrices of other sizes are in --json.\n"));
}

TEST(MatrixText, SaysWhereADisturbedMatrixDecidesNothing) {
    auto small = matrix(4, 1, 8, 10'000);
    small.disturbed = true;
    EXPECT_THAT(matrix_text(run_of({small}), plain),
                AllOf(HasSubstr("matrix, 8 B, 4 processes, disturbed: "),
                      HasSubstr("\nNot decided: a matrix was disturbed"), Not(HasSubstr("stands out"))));
    EXPECT_THAT(matrix_text(run_of({small, matrix(4, 1, 64, 10'000)}), plain),
                AllOf(HasSubstr("What stands out\n"), HasSubstr("\nIncomplete: a matrix was disturbed")));
}

TEST(MatrixText, IsNothingWithoutMatrices) {
    EXPECT_EQ(matrix_text(run_of({}), plain), "");
}

TEST(MatrixJson, HasAllPairsBothWaysAndNothingOnTheDiagonal) {
    auto measured = matrix(3, 2, 500, 2000);
    const auto json = matrix_json(measured);
    EXPECT_EQ(json.dump(),
              R"({"contended":false,"ranks":[0,1,2],"hosts":["h0","h0","h1"],"sockets":[],"numa_nodes":[],)"
              R"("time_ns":[[null,1000.0,2000.0],[1000.0,null,2000.0],[2000.0,2000.0,null]],)"
              R"("rate_bytes_per_s":[[null,500000000.0,250000000.0],)"
              R"([500000000.0,null,250000000.0],[250000000.0,250000000.0,null]]})");
    measured.pairs[MatrixResult::place(1, 2)] = {};
    EXPECT_TRUE(matrix_json(measured).at("time_ns").at(1).at(2).is_null()) << "not measured";
}

TEST(FindingJson, HasEveryFieldOfTheContract) {
    const auto findings = run_of({matrix(4, 1, 8, 10'000)}).slow_components.found;
    const auto json = slow_component_json(findings.at(0));
    EXPECT_EQ(json.at("kind"), "host");
    EXPECT_EQ(json.at("who"), "h3");
    EXPECT_EQ(json.at("hosts"), nlohmann::ordered_json::array({"h3"}));
    EXPECT_EQ(json.at("size_bytes"), 8);
    EXPECT_EQ(json.at("time_ns"), 10'000);
    EXPECT_EQ(json.at("median_ns"), 1'000);
    EXPECT_EQ(json.at("factor"), 10);
    EXPECT_THAT(json.at("text").get<std::string>(), HasSubstr("host h3: "));
}

}  // namespace
}  // namespace fathom::report

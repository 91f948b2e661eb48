#include "tune/model/algorithms.hpp"

#include <bit>
#include <cmath>
#include <functional>
#include <set>
#include <string>

#include "tune/model/models.hpp"

namespace fathom::testing {
namespace {

constexpr double alpha = 10'007;
constexpr double beta = 1.13;
constexpr double gamma = 0.171;

/// What an algorithm takes: p processes, their logarithm rounded up, n bytes.
struct ClosedFormula {
    std::string operation;
    std::string name;
    std::function<double(double p, double lg, double n)> time;
};

double ceil_lg(int procs) {
    return std::bit_width(static_cast<unsigned>(procs) - 1);
}

double predicted(const std::string& operation, const std::string& name, int procs, std::int64_t size) {
    return curve_of(algorithm(operation, name), flat_network(), tune::Layout::flat(procs)).at({size});
}

void expect_formula(const ClosedFormula& formula, int procs) {
    for (const std::int64_t size : {0, 1, 7, 4'096, 1'000'003, 1 << 30}) {
        const double expected = formula.time(procs, ceil_lg(procs), static_cast<double>(size));
        EXPECT_NEAR(predicted(formula.operation, formula.name, procs, size), expected, 1e-12 * expected)
            << formula.operation << " " << formula.name << ", " << procs << " processes, " << size << " B";
    }
}

TEST(Algorithms, AreThoseOfTheReferenceImplementations) {
    std::set<std::string> names;
    for (const auto& one : tune::algorithms()) {
        EXPECT_TRUE(names.insert(std::string(one.operation) + " " + std::string(one.name)).second);
    }
    EXPECT_EQ(names, (std::set<std::string>{"bcast binomial",
                                            "bcast scatter_rd_allgather",
                                            "bcast scatter_ring_allgather",
                                            "bcast chain",
                                            "alltoall bruck",
                                            "alltoall isend_irecv",
                                            "alltoall pairwise_exchange",
                                            "alltoall pairwise_shift",
                                            "allgather recursive_doubling",
                                            "allgather bruck",
                                            "allgather ring",
                                            "allgather neighbor_exchange",
                                            "reduce_scatter recursive_halving",
                                            "reduce_scatter recursive_doubling",
                                            "reduce_scatter pairwise",
                                            "allreduce recursive_doubling",
                                            "allreduce rabenseifner",
                                            "allreduce ring",
                                            "reduce binomial",
                                            "reduce rabenseifner",
                                            "gather binomial",
                                            "gather linear",
                                            "scatter binomial",
                                            "scatter linear",
                                            "barrier dissemination"}));
}

TEST(Algorithms, CostWhatThePublishedFormulasSayForPowersOfTwo) {
    const std::vector<ClosedFormula> formulas{
        {"bcast", "scatter_rd_allgather",
         [](double p, double lg, double n) { return 2 * lg * alpha + 2 * (p - 1) / p * n * beta; }},
        {"alltoall", "bruck", [](double p, double lg, double n) { return lg * (alpha + p / 2 * n * beta); }},
        {"alltoall", "pairwise_exchange",
         [](double p, double, double n) { return (p - 1) * (alpha + n * beta); }},
        {"allgather", "recursive_doubling",
         [](double p, double lg, double n) { return lg * alpha + (p - 1) * n * beta; }},
        {"allgather", "neighbor_exchange",
         [](double p, double, double n) { return p / 2 * alpha + (p - 1) * n * beta; }},
        {"reduce_scatter", "recursive_halving",
         [](double p, double lg, double n) { return lg * alpha + (p - 1) * n * (beta + gamma); }},
        {"reduce_scatter", "recursive_doubling",
         [](double p, double lg, double n) {
             return lg * alpha + p * n * (lg - (p - 1) / p) * (beta + gamma);
         }},
        {"allreduce", "recursive_doubling",
         [](double, double lg, double n) { return lg * (alpha + n * (beta + gamma)); }},
        {"allreduce", "rabenseifner",
         [](double p, double lg, double n) {
             return 2 * lg * alpha + 2 * (p - 1) / p * n * beta + (p - 1) / p * n * gamma;
         }},
        {"reduce", "rabenseifner",
         [](double p, double lg, double n) {
             return 2 * lg * alpha + 2 * (p - 1) / p * n * beta + (p - 1) / p * n * gamma;
         }},
    };
    for (const auto& formula : formulas) {
        for (const int procs : {2, 4, 8, 64, 4'096}) {
            expect_formula(formula, procs);
        }
    }
}

TEST(Algorithms, CostWhatTheFormulasSayForAnyProcessCount) {
    const std::vector<ClosedFormula> formulas{
        {"bcast", "binomial", [](double, double lg, double n) { return lg * (alpha + n * beta); }},
        {"bcast", "scatter_ring_allgather",
         [](double p, double lg, double n) { return (lg + p - 1) * alpha + 2 * (p - 1) / p * n * beta; }},
        {"alltoall", "isend_irecv", [](double p, double, double n) { return (p - 1) * (alpha + n * beta); }},
        {"alltoall", "pairwise_shift",
         [](double p, double, double n) { return (p - 1) * (alpha + n * beta); }},
        {"allgather", "bruck", [](double p, double lg, double n) { return lg * alpha + (p - 1) * n * beta; }},
        {"allgather", "ring", [](double p, double, double n) { return (p - 1) * (alpha + n * beta); }},
        {"reduce_scatter", "pairwise",
         [](double p, double, double n) { return (p - 1) * (alpha + n * (beta + gamma)); }},
        {"allreduce", "ring",
         [](double p, double, double n) {
             return 2 * (p - 1) * alpha + (p - 1) / p * n * (2 * beta + gamma);
         }},
        {"reduce", "binomial", [](double, double lg, double n) { return lg * (alpha + n * (beta + gamma)); }},
        {"gather", "binomial", [](double p, double lg, double n) { return lg * alpha + (p - 1) * n * beta; }},
        {"scatter", "binomial",
         [](double p, double lg, double n) { return lg * alpha + (p - 1) * n * beta; }},
        {"gather", "linear", [](double p, double, double n) { return (p - 1) * (alpha + n * beta); }},
        {"scatter", "linear", [](double p, double, double n) { return (p - 1) * (alpha + n * beta); }},
        {"barrier", "dissemination", [](double, double lg, double) { return lg * alpha; }},
    };
    for (const auto& formula : formulas) {
        for (const int procs : {2, 3, 5, 6, 7, 8, 12, 17, 100, 1'000}) {
            expect_formula(formula, procs);
        }
    }
}

TEST(Algorithms, WithoutAPowerOfTwoFoldTheOtherRanksIn) {
    for (const int procs : {3, 5, 6, 7, 12, 100}) {
        const auto core = static_cast<double>(std::bit_floor(static_cast<unsigned>(procs)));
        const double lg = std::log2(core);
        const double n = 65'536;
        const double once = alpha + n * beta;
        EXPECT_DOUBLE_EQ(predicted("allreduce", "recursive_doubling", procs, 65'536),
                         lg * (once + n * gamma) + (once + n * gamma) + once);
        EXPECT_NEAR(predicted("allreduce", "rabenseifner", procs, 65'536),
                    2 * lg * alpha + (core - 1) / core * n * (2 * beta + gamma) + 2 * once + n * gamma, 1e-3);
        EXPECT_NEAR(predicted("reduce", "rabenseifner", procs, 65'536),
                    2 * lg * alpha + (core - 1) / core * n * (2 * beta + gamma) + once + n * gamma, 1e-3);
        EXPECT_NEAR(predicted("bcast", "scatter_rd_allgather", procs, 65'536),
                    2 * lg * alpha + 2 * (core - 1) / core * n * beta + once, 1e-3);
    }
}

TEST(Algorithms, ExchangeBlocksOfTwoRanksWhereOneStandsForTwo) {
    // Six ranks: ranks 0 and 2 are represented by 1 and 3. The four that act have 2, 2, 1 and 1 blocks.
    const double block = 1'000;
    EXPECT_DOUBLE_EQ(predicted("allgather", "recursive_doubling", 6, 1'000),
                     (alpha + block * beta) + (alpha + 2 * block * beta) + (alpha + 4 * block * beta) +
                         (alpha + 6 * block * beta));
    const double both = beta + gamma;
    EXPECT_DOUBLE_EQ(predicted("reduce_scatter", "recursive_halving", 6, 1'000),
                     (alpha + 6 * block * both) + (alpha + 4 * block * both) + (alpha + 2 * block * both) +
                         (alpha + block * beta));
    // All but one block, then all but the two of the group.
    EXPECT_DOUBLE_EQ(predicted("reduce_scatter", "recursive_doubling", 6, 1'000),
                     (alpha + 6 * block * both) + (alpha + 5 * block * both) + (alpha + 4 * block * both) +
                         (alpha + block * beta));
}

TEST(Algorithms, StoreAndForwardSendsTheBlocksThatHaveABit) {
    // Seven ranks: of the ways 1 to 6, three have bit 0, three bit 1 and three bit 2.
    EXPECT_DOUBLE_EQ(predicted("alltoall", "bruck", 7, 100), 3 * (alpha + 3 * 100 * beta));
    EXPECT_DOUBLE_EQ(predicted("alltoall", "bruck", 6, 100),
                     (alpha + 3 * 100 * beta) + (alpha + 2 * 100 * beta) + (alpha + 2 * 100 * beta));
}

TEST(Algorithms, NeighboursExchangeNeedsAnEvenNumberAndIsARingOtherwise) {
    EXPECT_DOUBLE_EQ(predicted("allgather", "neighbor_exchange", 6, 100),
                     (alpha + 100 * beta) + 2 * (alpha + 200 * beta));
    EXPECT_DOUBLE_EQ(predicted("allgather", "neighbor_exchange", 7, 100), 6 * (alpha + 100 * beta));
}

TEST(Algorithms, PairwiseExchangeTakesOneRoundMoreWithoutAPowerOfTwo) {
    EXPECT_DOUBLE_EQ(predicted("alltoall", "pairwise_exchange", 6, 100), 6 * (alpha + 100 * beta));
    EXPECT_DOUBLE_EQ(predicted("alltoall", "pairwise_exchange", 8, 100), 7 * (alpha + 100 * beta));
}

TEST(Algorithms, AChainSendsSegmentsOneAfterTheOther) {
    const tune::AlgorithmSettings settings{.chain_segment = {1'000}};
    const auto curve = curve_of(algorithm("bcast", "chain"), flat_network(), tune::Layout::flat(5), settings);
    const double whole = alpha + 1'000 * beta;
    EXPECT_DOUBLE_EQ(curve.at({600}), 4 * (alpha + 600 * beta));
    EXPECT_DOUBLE_EQ(curve.at({1'000}), 4 * whole);
    EXPECT_NEAR(curve.at({3'000}), 6 * whole, 1e-6);
    // The last segment is short on its last hop only: before that it waits for the one in front of it.
    EXPECT_NEAR(curve.at({3'100}), 6 * whole + (alpha + 100 * beta), 1e-6);
    EXPECT_EQ(curve.piece({3'100}).last.count, 4'000);
}

TEST(Algorithms, MessagesThatOverlapCostTheirOverheadOnly) {
    auto network = flat_network();
    network.between.overhead_ns = network.inside.overhead_ns = 200;
    const auto burst = [&](const char* operation, const char* name) {
        return curve_of(algorithm(operation, name), network, tune::Layout::flat(9)).at({500});
    };
    const double expected = alpha + 7 * 200 + 8 * 500 * beta;
    EXPECT_DOUBLE_EQ(burst("alltoall", "isend_irecv"), expected);
    EXPECT_DOUBLE_EQ(burst("gather", "linear"), expected);
    EXPECT_DOUBLE_EQ(burst("scatter", "linear"), expected);
    EXPECT_DOUBLE_EQ(burst("alltoall", "pairwise_shift"), 8 * (alpha + 500 * beta));
}

TEST(Algorithms, TakeNoTimeWithOneProcess) {
    for (const auto& one : tune::algorithms()) {
        EXPECT_EQ(curve_of(one, flat_network(), tune::Layout::flat(1)).at({4'096}), 0)
            << one.operation << " " << one.name;
    }
}

}  // namespace
}  // namespace fathom::testing

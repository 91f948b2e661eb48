#include "tune/files/mpich_selection.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "journal/json.hpp"

namespace fathom::tune {
namespace {

using nlohmann::ordered_json;

const std::string own = R"({"collective=bcast":{"comm_type=intra":{"avg_msg_size<=12288":{"algorithm=A":{}},)"
                        R"("avg_msg_size=any":{"algorithm=B":{}}},"comm_type=inter":{"algorithm=C":{}}},)"
                        R"("collective=allgather":{"comm_type=intra":{"algorithm=D":{}}},)"
                        R"("collective=ibarrier":{"comm_type=intra":{"algorithm=E":{}}}})";

const std::string compositions =
    R"({"collective=bcast":{"comm_type=intra":{"comm_hierarchy=parent":{"composition=X":{}},)"
    R"("comm_hierarchy=any":{"composition=MPIDI_Bcast_intra_composition_gamma":{}}}}})";

/// A call, as the conditions of a selection see it.
struct SeenCall {
    int procs = 8;
    std::int64_t average = 0;
    std::int64_t total = 0;
    bool commutative = true;
    bool built_in = true;
    bool in_place = false;
    bool parent = true;
    std::int64_t count = 1 << 20;
};

bool condition_holds(const std::string& condition, const SeenCall& call, bool below_sizes) {
    if (condition.ends_with("=any")) {
        return true;
    }
    const auto at = condition.find_first_of("<=");
    const auto name = condition.substr(0, at);
    const bool yes = condition.ends_with("=yes");
    if (name == "is_commutative") {
        return call.commutative == yes;
    }
    if (name == "is_op_built_in") {
        return call.built_in == yes;
    }
    if (name == "is_sendbuf_inplace") {
        return call.in_place == yes;
    }
    if (name == "is_block_regular") {
        return yes;
    }
    if (condition == "comm_hierarchy=parent") {
        return call.parent;
    }
    if (condition == "count<pow2") {
        return call.count < call.procs;
    }
    if (condition == "comm_size=pow2") {
        return (call.procs & (call.procs - 1)) == 0;
    }
    const auto value = name == "comm_size" ? call.procs : name == "avg_msg_size" ? call.average : call.total;
    // MPICH 4.0 takes comm_size<N for comm_size<=N where it is not at the top.
    const bool inclusive = condition.find("<=") != std::string::npos || (name == "comm_size" && below_sizes);
    const auto number = std::stoll(condition.substr(condition.find_first_of("0123456789")));
    return inclusive ? value <= number : value < number;
}

/// What a selection chooses, first match first.
std::string chosen(const ordered_json& branch, const SeenCall& call, bool below_sizes = false) {
    for (const auto& [key, below] : branch.items()) {
        if (key.starts_with("algorithm=")) {
            return key.substr(10);
        }
        if (condition_holds(key, call, below_sizes)) {
            return chosen(below, call, below_sizes || key.find("msg_size") != std::string::npos);
        }
    }
    return {};
}

ordered_json branch_of(const std::string& text, const std::string& operation) {
    return ordered_json::parse(text)["collective=" + operation]["comm_type=intra"];
}

std::string chosen(const std::string& text, const std::string& operation, int procs, std::int64_t size) {
    return chosen(branch_of(text, operation), {.procs = procs, .average = size, .total = size * procs});
}

TEST(MpichSelection, HasTheRulesForTheirCommunicatorsAlone) {
    const RuleFile file{.remarks = {},
                        .sets = {{"bcast",
                                  8,
                                  8,
                                  {{.first = {1024}, .last = {4096}, .algorithm = "binomial"},
                                   {.first = {65536}, .last = {131072}, .algorithm = "nb"}}}}};
    const auto text = mpich_selection(file, own);
    for (const std::int64_t size : {0, 8, 1023, 4097, 12288, 12289, 65535, 131073, 1 << 20}) {
        EXPECT_EQ(chosen(text, "bcast", 8, size), size <= 12288 ? "A" : "B") << size;
    }
    for (const std::int64_t size : {1024, 2000, 4096}) {
        EXPECT_EQ(chosen(text, "bcast", 8, size), "MPIR_Bcast_intra_binomial") << size;
        EXPECT_EQ(chosen(text, "bcast", 7, size), "A") << size;
        EXPECT_EQ(chosen(text, "bcast", 9, size), "A") << size;
    }
    EXPECT_EQ(chosen(text, "bcast", 8, 100'000), "MPIR_Bcast_allcomm_nb");
    EXPECT_EQ(chosen(text, "allgather", 8, 2000), "D");
    EXPECT_EQ(ordered_json::parse(text)["collective=bcast"]["comm_type=inter"],
              ordered_json::parse(R"({"algorithm=C":{}})"));
}

TEST(MpichSelection, CountsBytesAsTheLibraryDoes) {
    const RuleFile file{.remarks = {},
                        .sets = {{"allgather", 4, 4, {{.first = {0}, .last = {64}, .algorithm = "ring"}}}}};
    const auto text = mpich_selection(file, own);
    EXPECT_NE(text.find("total_msg_size<=256"), std::string::npos) << text;
    EXPECT_EQ(chosen(text, "allgather", 4, 64), "MPIR_Allgather_intra_ring");
    EXPECT_EQ(chosen(text, "allgather", 4, 65), "D");
    EXPECT_EQ(mpich_message_bytes("reduce_scatter", {64}, 4), 256);
    EXPECT_EQ(mpich_message_bytes("alltoall", {64}, 4), 64);
}

TEST(MpichSelection, MayHaveRulesForSeveralSizesOfCommunicators) {
    const RuleFile file{.remarks = {},
                        .sets = {{"bcast", 4, 4, {{.first = {0}, .last = {100}, .algorithm = "smp"}}},
                                 {"bcast", 8, 8, {{.first = {0}, .last = {100}, .algorithm = "binomial"}}}}};
    const auto text = mpich_selection(file, own);
    EXPECT_EQ(chosen(text, "bcast", 4, 50), "MPIR_Bcast_intra_smp");
    EXPECT_EQ(chosen(text, "bcast", 8, 50), "MPIR_Bcast_intra_binomial");
    EXPECT_EQ(chosen(text, "bcast", 6, 50), "A");
}

TEST(MpichSelection, HoldsBetweenTwoNumbersOfProcessesWithinBothRanges) {
    const RuleFile file{.remarks = {},
                        .sets = {{"allgather", 5, 7, {{.first = {10}, .last = {100}, .algorithm = "ring"}}}}};
    const auto text = mpich_selection(file, own);
    for (const int procs : {4, 5, 6, 7, 8}) {
        for (const std::int64_t total : {49, 50, 69, 70, 500, 501, 700, 701}) {
            const bool ruled = procs >= 5 && procs <= 7 && total >= 10 * procs && total <= 100 * procs;
            EXPECT_EQ(chosen(branch_of(text, "allgather"), {.procs = procs, .total = total}),
                      ruled ? "MPIR_Allgather_intra_ring" : "D")
                << procs << " " << total;
        }
    }
}

TEST(MpichSelection, OfReductionsIsForOperatorsLikeThoseThatWereMeasured) {
    const std::string reductions = R"({"collective=reduce":{"comm_type=intra":{"algorithm=A":{}}}})";
    RuleSet set{"reduce", 4, 4, {{.first = {0}, .last = {8}, .algorithm = "reduce_scatter_gather"}}};
    const auto with = [&](const SeenCall& call) {
        return chosen(branch_of(mpich_selection({.remarks = {}, .sets = {set}}, reductions), "reduce"), call);
    };
    const std::string ruled = "MPIR_Reduce_intra_reduce_scatter_gather";
    const SeenCall call{.procs = 4, .average = 8};
    auto ordered = call;
    ordered.commutative = false;
    ordered.built_in = false;
    auto user = call;
    user.built_in = false;
    auto few = call;
    few.count = 2;
    EXPECT_EQ(with(call), ruled);
    EXPECT_EQ(with(ordered), "A");
    EXPECT_EQ(with(user), "A") << "the algorithm is for MPI's own operators";
    EXPECT_EQ(with(few), "A") << "the algorithm needs an element for each process";
    set.built_in = false;
    EXPECT_EQ(with(call), "A");
    EXPECT_EQ(with(user), ruled);
    set.commutative = false;
    EXPECT_EQ(with(ordered), ruled);
    EXPECT_EQ(with(user), "A");
}

TEST(MpichSelection, IsNotForCallsInPlaceOrPartsOfACommunicatorWhereThatMatters) {
    const std::string selection = R"({"collective=alltoall":{"comm_type=intra":{"algorithm=A":{}}},)"
                                  R"("collective=bcast":{"comm_type=intra":{"algorithm=B":{}}}})";
    const auto text =
        mpich_selection({.remarks = {},
                         .sets = {{"alltoall", 4, 4, {{.first = {0}, .last = {8}, .algorithm = "brucks"}}},
                                  {"bcast", 4, 4, {{.first = {0}, .last = {8}, .algorithm = "smp"}}}}},
                        selection);
    SeenCall call{.procs = 4, .average = 8};
    EXPECT_EQ(chosen(branch_of(text, "alltoall"), call), "MPIR_Alltoall_intra_brucks");
    EXPECT_EQ(chosen(branch_of(text, "bcast"), call), "MPIR_Bcast_intra_smp");
    call.in_place = true;
    call.parent = false;
    EXPECT_EQ(chosen(branch_of(text, "alltoall"), call), "A");
    EXPECT_EQ(chosen(branch_of(text, "bcast"), call), "B");
}

TEST(MpichSelection, LeavesNoConditionOnCommunicatorsBelowThoseOnMessages) {
    const std::string selection =
        R"({"collective=bcast":{"comm_type=intra":{"comm_size<8":{"algorithm=few":{}},)"
        R"("comm_size=pow2":{"avg_msg_size<100":{"algorithm=small":{}},"avg_msg_size=any":{"algorithm=pow2":{}}},)"
        R"("comm_size=any":{"algorithm=odd":{}}}}})";
    const auto text = mpich_selection(
        {.remarks = {}, .sets = {{"bcast", 7, 9, {{.first = {1000}, .last = {2000}, .algorithm = "nb"}}}}},
        selection);
    for (const std::int64_t size : {8, 500, 5000}) {
        EXPECT_EQ(chosen(text, "bcast", 6, size), "few") << size;
        EXPECT_EQ(chosen(text, "bcast", 7, size), "few") << size;
        EXPECT_EQ(chosen(text, "bcast", 8, size), size < 100 ? "small" : "pow2") << size;
        EXPECT_EQ(chosen(text, "bcast", 9, size), "odd") << size;
        EXPECT_EQ(chosen(text, "bcast", 10, size), "odd") << size;
    }
    for (const int procs : {7, 8, 9}) {
        EXPECT_EQ(chosen(text, "bcast", procs, 1500), "MPIR_Bcast_allcomm_nb") << procs;
    }
}

TEST(MpichSelection, GrowsWithTheNumberOfCommunicatorsNoFasterThanThey) {
    RuleFile few{.remarks = {}, .sets = {}};
    RuleFile many = few;
    for (int procs = 2; procs <= 1024; procs *= 2) {
        many.sets.push_back({"bcast", procs, procs, {{.first = {0}, .last = {64}, .algorithm = "binomial"}}});
    }
    few.sets = {many.sets.front()};
    EXPECT_LT(mpich_selection(many, own).size(), 2 * many.sets.size() * mpich_selection(few, own).size());
}

TEST(MpichSelection, KnowsAlgorithmsThatItUsesForAnyNumberOfProcesses) {
    const std::string selection =
        R"({"collective=allgather":{"comm_type=intra":{"comm_size=pow2":{"algorithm=)"
        R"(MPIR_Allgather_intra_recursive_doubling":{}},"comm_size=any":{"total_msg_size<80":{"algorithm=)"
        R"(MPIR_Allgather_intra_brucks":{}}}}}})";
    EXPECT_FALSE(mpich_takes_any_size(selection, "allgather", "recursive_doubling"));
    EXPECT_TRUE(mpich_takes_any_size(selection, "allgather", "brucks"));
    EXPECT_FALSE(mpich_takes_any_size(selection, "allgather", "ring")) << "it says nothing of it";
}

TEST(MpichSelection, OfABarrierHasNoSizes) {
    const std::string selection = R"({"collective=barrier":{"comm_type=intra":{"algorithm=A":{}}}})";
    const auto text = mpich_selection(
        {.remarks = {}, .sets = {{"barrier", 4, 4, {{.first = {0}, .last = {0}, .algorithm = "nb"}}}}},
        selection);
    EXPECT_EQ(text.find("msg_size"), std::string::npos) << text;
    EXPECT_EQ(chosen(text, "barrier", 4, 0), "MPIR_Barrier_allcomm_nb");
    EXPECT_EQ(chosen(text, "barrier", 5, 0), "A");
}

TEST(MpichSelection, HasTheDeviceLeaveTheRulesToTheAlgorithms) {
    const RuleFile file{.remarks = {},
                        .sets = {{"bcast", 8, 8, {{.first = {16}, .last = {64}, .algorithm = "binomial"}}},
                                 {"allgather", 8, 8, {{.first = {0}, .last = {64}, .algorithm = "ring"}}}}};
    const auto text = mpich_compositions(file, compositions);
    ASSERT_TRUE(text);
    const auto branch = ordered_json::parse(*text)["collective=bcast"]["comm_type=intra"]["comm_size<9"];
    EXPECT_TRUE(branch["avg_msg_size<=64"].contains("composition=MPIDI_Bcast_intra_composition_gamma"));
    EXPECT_TRUE(branch["avg_msg_size<16"].contains("comm_hierarchy=parent"));
    EXPECT_FALSE(mpich_compositions({.remarks = {}, .sets = {file.sets[1]}}, compositions));
    EXPECT_THROW(
        (void)mpich_compositions(
            {.remarks = {}, .sets = {{"reduce", 8, 8, {{.first = {0}, .last = {8}, .algorithm = "x"}}}}},
            compositions),
        BadInput);
}

TEST(MpichSelection, IsFoundInTheLibrary) {
    const std::string other = R"({"collective=bcast":{"comm_type=intra":{}}})";
    const auto library =
        "ELF" + std::string(1, '\0') + other + std::string(1, '\0') + own + std::string(3, '\0') + "end";
    const auto found = mpich_selections(library + std::string(1, '\0') + compositions + std::string(1, '\0'));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->algorithms, own);
    EXPECT_EQ(found->compositions, compositions);
    EXPECT_FALSE(mpich_selections(other));
    EXPECT_FALSE(mpich_selections("{\"collective=ibarrier\" unfinished"));
    EXPECT_TRUE(mpich_selects(own, "bcast"));
    EXPECT_FALSE(mpich_selects(own, "scan"));
    EXPECT_THROW((void)mpich_selection({.remarks = {}, .sets = {{"scan", 2, 2, {}}}}, own), BadInput);
    EXPECT_THROW((void)mpich_selection({.remarks = {}, .sets = {{"bcast", 2, 2, {}}}}, "[]"), BadInput);
}

}  // namespace
}  // namespace fathom::tune

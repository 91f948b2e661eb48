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

/// What a selection chooses, first match first.
std::string chosen(const ordered_json& branch, int procs, std::int64_t average, std::int64_t total) {
    for (const auto& [key, below] : branch.items()) {
        if (key.starts_with("algorithm=")) {
            return key.substr(10);
        }
        const auto at = key.find_first_of("<=");
        const auto name = key.substr(0, at);
        const auto value = name == "comm_size" ? procs : name == "avg_msg_size" ? average : total;
        const bool inclusive = key.find("<=") != std::string::npos;
        const bool holds = key.ends_with("=any") || (inclusive ? value <= std::stoll(key.substr(at + 2))
                                                               : value < std::stoll(key.substr(at + 1)));
        if (holds) {
            return chosen(below, procs, average, total);
        }
    }
    return {};
}

std::string chosen(const std::string& text, const std::string& operation, int procs, std::int64_t size) {
    return chosen(ordered_json::parse(text)["collective=" + operation]["comm_type=intra"], procs, size,
                  size * procs);
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
    EXPECT_EQ(mpich_message_bytes("iallgather", {64}, 4), 256);
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
        for (const std::int64_t total : {69, 70, 500, 501}) {
            const auto branch = ordered_json::parse(text)["collective=allgather"]["comm_type=intra"];
            const bool ruled = procs >= 5 && procs <= 7 && total >= 70 && total <= 500;
            EXPECT_EQ(chosen(branch, procs, 0, total), ruled ? "MPIR_Allgather_intra_ring" : "D")
                << procs << " " << total;
        }
    }
}

TEST(MpichSelection, OfReductionsIsForOperatorsThatCommute) {
    const std::string reductions = R"({"collective=reduce":{"comm_type=intra":{"algorithm=A":{}}}})";
    const auto text = mpich_selection(
        {.remarks = {}, .sets = {{"reduce", 4, 4, {{.first = {0}, .last = {8}, .algorithm = "binomial"}}}}},
        reductions);
    const auto branch = ordered_json::parse(text)["collective=reduce"]["comm_type=intra"]["comm_size<5"];
    EXPECT_EQ(branch["is_commutative=no"], ordered_json::parse(R"({"algorithm=A":{}})"));
    EXPECT_EQ(chosen(branch["is_commutative=yes"], 4, 8, 32), "MPIR_Reduce_intra_binomial");
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
    EXPECT_THROW((void)mpich_compositions({.remarks = {}, .sets = {{"reduce", 8, 8, {}}}}, compositions),
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

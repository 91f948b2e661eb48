#include "report/sentences/change_by_size.hpp"

#include <gtest/gtest.h>

#include "analysis/compared_points.hpp"

namespace fathom::report {
namespace {

using testing::add_curve;
using testing::comparison_of;

std::string said(const analysis::Comparison& comparison) {
    return sentence(analysis::change_by_size(comparison), {.first = "Open MPI", .second = "MPICH"});
}

std::string said(std::string_view verdicts, const std::string& operation = "bcast") {
    return said(comparison_of(operation, verdicts));
}

TEST(ChangeBySizeSentence, SaysUpToWhichSizeAndFromWhichOn) {
    EXPECT_EQ(said("ssssssssff"), "MPICH is slower than Open MPI up to 1 KiB, faster from 2 KiB.");
    EXPECT_EQ(said("s==f"),
              "MPICH is slower than Open MPI at 8 B, as fast from 16 B to 32 B, faster at 64 B.");
    EXPECT_EQ(said("==ff"), "MPICH is as fast as Open MPI up to 16 B, faster from 32 B.");
    EXPECT_EQ(said("fff"), "MPICH is faster than Open MPI at every size.");
    EXPECT_EQ(said("="), "MPICH is as fast as Open MPI at 8 B.");
    EXPECT_EQ(said("s", "barrier"), "MPICH is slower than Open MPI.");
}

TEST(ChangeBySizeSentence, SaysWhichSizesAreUndecided) {
    EXPECT_EQ(said("ss?ff"),
              "MPICH is slower than Open MPI up to 16 B, faster from 64 B (undecided at 32 B).");
    EXPECT_EQ(said("?ss?ff?"),
              "MPICH is slower than Open MPI from 16 B to 32 B, faster from 128 B to 256 B "
              "(undecided at 8 B, 64 B and 512 B).");
    EXPECT_EQ(said("s????ff"),
              "MPICH is slower than Open MPI at 8 B, faster from 256 B (undecided at 4 of 7 sizes).");
    EXPECT_EQ(said("ss?s"), "MPICH is slower than Open MPI at 3 of 4 sizes (undecided at 32 B).");
    EXPECT_EQ(said("ss??"), "MPICH is slower than Open MPI up to 16 B (undecided at 32 B and 64 B).");
    EXPECT_EQ(said("???"), "Whether MPICH is slower or faster than Open MPI is undecided at all 3 points.");
    EXPECT_EQ(said("?"), "Whether MPICH is slower or faster than Open MPI is undecided at the one point.");
}

TEST(ChangeBySizeSentence, CountsWhereThereIsNoOrder) {
    EXPECT_EQ(said("sfs=s?"),
              "MPICH is slower than Open MPI at 3, faster at 1 and as fast at 1 of 6 sizes "
              "(undecided at 256 B).");
}

TEST(ChangeBySizeSentence, SaysWhichOperationsAgreeAndWhichDiffer) {
    auto comparison = comparison_of("bcast", "ssff");
    add_curve(comparison, "allreduce", "s?ff");
    EXPECT_EQ(said(comparison),
              "MPICH is slower than Open MPI up to 16 B, faster from 32 B in both operations "
              "(1 of 8 points undecided).");
    add_curve(comparison, "barrier", "=");
    add_curve(comparison, "alltoall", "????");
    EXPECT_EQ(said(comparison),
              "MPICH is slower than Open MPI up to 16 B, faster from 32 B in bcast and allreduce "
              "(1 of 8 points undecided); as fast in barrier; undecided in alltoall.");
}

TEST(ChangeBySizeSentence, SaysOfHowManyPointsWhereTheVerdictIsOne) {
    auto comparison = comparison_of("bcast", "ss?s");
    add_curve(comparison, "scan", "ssss");
    EXPECT_EQ(said(comparison),
              "MPICH is slower than Open MPI at 7 of 8 points in both operations (the rest undecided).");
    comparison.points.back().verdict = analysis::Change::undecided;
    EXPECT_EQ(said(comparison),
              "MPICH is slower than Open MPI at 6 of 8 points in both operations (the rest undecided).");
}

TEST(ChangeBySizeSentence, SaysWhichProcessCountsDiffer) {
    auto comparison = comparison_of("bcast", "ss");
    add_curve(comparison, "bcast", "ss", 8);
    EXPECT_EQ(said(comparison), "MPICH is slower than Open MPI at every size.");
    add_curve(comparison, "bcast", "sf", 16);
    add_curve(comparison, "scan", "sf", 16);
    EXPECT_EQ(said(comparison),
              "MPICH is slower than Open MPI at every size in bcast with 4 and 8 processes; slower "
              "at 8 B, faster at 16 B in bcast with 16 processes and scan.");
}

TEST(ChangeBySizeSentence, SaysBetweenWhichSizesAChangeLiesWhereCurvesDiffer) {
    auto comparison = comparison_of("bcast", "sffff");
    add_curve(comparison, "reduce", "ssfff");
    add_curve(comparison, "scatter", "sssff");
    add_curve(comparison, "gather", "ssssf");
    EXPECT_EQ(
        said(comparison),
        "MPICH is slower than Open MPI up to 8 B .. 64 B, faster from 16 B .. 128 B in all 4 operations.");
}

TEST(ChangeBySizeSentence, CallsRunsByWhatTheyDifferIn) {
    analysis::Comparison comparison;
    comparison.first.name = "run 1";
    comparison.second.name = "run 2";
    const auto names = [&] {
        const auto found = compared_names(comparison);
        return found.first + "|" + found.second;
    };
    auto& first = comparison.first.result.run;
    auto& second = comparison.second.result.run;
    first.mpi_version = second.mpi_version = "Open MPI v4.1.4";
    EXPECT_EQ(names(), "run 1|run 2");
    second.mpi_version = "Open MPI v5.0.0";
    EXPECT_EQ(names(), "Open MPI v4.1.4|Open MPI v5.0.0");
    second.mpi_version = "MPICH Version: 4.0.2";
    EXPECT_EQ(names(), "Open MPI|MPICH");
    first.label = "before";
    EXPECT_EQ(names(), "Open MPI|MPICH") << "one label alone does not tell them apart";
    second.label = "after";
    EXPECT_EQ(names(), "before|after");
    add_curve(comparison, "bcast", "ss");
    EXPECT_EQ(sentence(analysis::change_by_size(comparison), {.first = "run 1", .second = "run 2"}),
              "Run 2 is slower than run 1 at every size.");
}

TEST(LargestChanges, AreSaidInBothDirections) {
    const auto largest = [](std::string_view verdicts) {
        return largest_changes(analysis::change_by_size(comparison_of("bcast", verdicts)));
    };
    EXPECT_EQ(largest("ss=f"),
              "Largest changes: +20.0 % (bcast, 16 B, 4 processes) and -28.6 % (bcast, 64 B, 4 processes).");
    EXPECT_EQ(largest("s="), "Largest change: +10.0 % (bcast, 8 B, 4 processes).");
    EXPECT_EQ(largest("=?"), "");
}

TEST(SignedPercent, HasNoMinusWhereItIsShownAsZero) {
    EXPECT_EQ(signed_percent(-1e-14, 1), "+0.0");
    EXPECT_EQ(signed_percent(-0.04, 1), "+0.0");
    EXPECT_EQ(signed_percent(-0.06, 1), "-0.1");
    EXPECT_EQ(signed_percent(-0.4, 0), "+0");
    EXPECT_EQ(signed_percent(12.34, 1), "+12.3");
    EXPECT_EQ(change_text(1 - 1e-16), "+0.0 %");
}

}  // namespace
}  // namespace fathom::report

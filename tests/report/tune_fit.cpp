#include "report/tune_fit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

tune::Fit two_lines() {
    return {.key = {.operation = "bcast", .procs = 8, .implementation = "reference:chain"},
            .time = {.ranges = {{.time = {1'000, 0.5}, .up_to = {4'096}}, {.time = {4'000.25, 0.1}}}},
            .points = {{.size = {1}, .measured_ns = 1'000, .fitted_ns = 1'000.5},
                       {.size = {65'536}, .measured_ns = 10'000, .fitted_ns = 10'553.85}},
            .mean_error = 0.02,
            .largest_error = 0.055};
}

TEST(TuneFit, AsCIsAFunctionForEachCurve) {
    EXPECT_EQ(tune_fit_c({two_lines()}, "run 3"),
              "/* Closed forms of measured times, fitted by fathom to run 3. */\n"
              "\n"
              "/* bcast, 8 processes, via reference:chain: nanoseconds of a size in bytes.\n"
              "   Fitted to 2 sizes from 1 to 65536 bytes; beyond them it is a guess.\n"
              "   Error of the fit: 2.00 % on average, 5.50 % at most. */\n"
              "double fathom_bcast_8_reference_chain(double size_bytes);\n"
              "double fathom_bcast_8_reference_chain(double size_bytes) {\n"
              "    if (size_bytes <= 4096.0) {\n"
              "        return 1000.0 + 0.5 * size_bytes;\n"
              "    }\n"
              "    return 4000.25 + 0.10000000000000001 * size_bytes;\n"
              "}\n");
}

TEST(TuneFit, AsPythonIsAFunctionForEachCurve) {
    EXPECT_THAT(
        tune_fit_python({two_lines()}, "run 3"),
        HasSubstr("def fathom_bcast_8_reference_chain(size_bytes):\n"
                  "    \"\"\"bcast, 8 processes, via reference:chain: nanoseconds of a size in bytes.\n"));
    EXPECT_THAT(tune_fit_python({two_lines()}, "run 3"),
                HasSubstr("    if size_bytes <= 4096:\n        return 1000.0 + 0.5 * size_bytes\n"
                          "    return 4000.25 + 0.10000000000000001 * size_bytes\n"));
}

TEST(TuneFit, GivesEveryFunctionANameOfItsOwn) {
    EXPECT_THAT(tune_fit_c({two_lines(), two_lines()}, "run 3"),
                HasSubstr("double fathom_bcast_8_reference_chain_2(double size_bytes) {"));
}

TEST(TuneFit, NamesFromAFileCannotBecomeCode) {
    auto fit = two_lines();
    fit.key.implementation = "x*/ int main() { abort(); } /*\"\"\"\nimport os\\";
    const auto c = tune_fit_c({fit}, "*/ evil");
    EXPECT_THAT(c, Not(HasSubstr("int main() {")));
    EXPECT_THAT(c, Not(HasSubstr("*/ evil")));
    const auto python = tune_fit_python({fit}, "\"\"\"evil");
    EXPECT_THAT(python, Not(HasSubstr("\nimport")));
    EXPECT_THAT(python, Not(HasSubstr("\"\"\"evil")));
    EXPECT_THAT(python, Not(HasSubstr("\\")));
}

TEST(TuneFit, AsATableShowsTheMeasuredRange) {
    const auto text = tune_fit_text({two_lines()}, {});
    EXPECT_THAT(text, HasSubstr("bcast, 8 processes, via reference:chain\n"));
    EXPECT_THAT(text, HasSubstr("   1 B   4 KiB  1.00 us  2.00 GB/s  1 us + 0.5 ns n\n"));
    EXPECT_THAT(text, HasSubstr("4097 B  64 KiB  4.00 us  10.0 GB/s  4 us + 0.1 ns n\n"));
    EXPECT_THAT(text, HasSubstr("Error of the fit to 2 sizes: 2.00 % on average, 5.50 % at most.\n"));
}

TEST(TuneFit, AsJsonHasEveryPoint) {
    const auto json = tune_fit_json({two_lines()});
    EXPECT_EQ(json["schema"], "fathom.tune-fit/1");
    const auto& fit = json["fits"][0];
    EXPECT_EQ(fit["implementation"], "reference:chain");
    EXPECT_EQ(fit["ranges"][1]["from_bytes"], 4'097);
    EXPECT_EQ(fit["ranges"][1]["to_bytes"], 65'536);
    EXPECT_EQ(fit["points"].size(), 2U);
    EXPECT_DOUBLE_EQ(fit["points"][0]["error"].get<double>(), 1'000.5 / 1'000 - 1);
    EXPECT_FALSE(fit.contains("size_bytes"));
}

}  // namespace
}  // namespace fathom::report

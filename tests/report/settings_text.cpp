#include "report/settings_text.hpp"

#include <gmock/gmock.h>

#include "journal/json.hpp"
#include "report/sentences/settings.hpp"
#include "report/terminals.hpp"

namespace fathom::report {
namespace {

using analysis::SettingComparison;
using analysis::SettingVerdict;
using ::testing::HasSubstr;
using ::testing::Not;

analysis::SettingResult value_of(const std::string& value, double time_ns) {
    return {.setting = "btl_vader_eager_limit=" + value,
            .values = {value},
            .value_ns = stats::Reduced{.value = time_ns, .ci95 = stats::Interval{time_ns - 10, time_ns + 10}},
            .launches_ns = {time_ns, time_ns},
            .quality = analysis::Quality::good};
}

SettingComparison limits_at(std::int64_t size, double small_ns, double large_ns, SettingVerdict verdict) {
    SettingComparison comparison;
    comparison.key = {.operation = "allreduce", .pattern = "all", .procs = 2, .size = {size}};
    comparison.names = {"btl_vader_eager_limit"};
    comparison.settings = {value_of("4096", small_ns), value_of("32768", large_ns)};
    comparison.verdict = verdict;
    comparison.fastest = small_ns < large_ns ? 0 : 1;
    comparison.next = comparison.slowest = 1 - comparison.fastest;
    comparison.p_next = comparison.p_slowest = 0.0021;
    return comparison;
}

TEST(SettingsText, OfNothingIsEmpty) {
    EXPECT_EQ(settings_text({}, plain), "");
}

TEST(SettingsText, PutsValuesSideBySideAndMarksTheBest) {
    EXPECT_EQ(settings_text({limits_at(1'024, 1'390, 1'400, SettingVerdict::alike),
                             limits_at(16'384, 9'170, 7'000, SettingVerdict::best)},
                            plain),
              "\nSettings compared: btl_vader_eager_limit\n"
              "operation  procs   bytes     4096      32768    worst/best  best\n"
              "allreduce      2   1 KiB  1.39 us    1.40 us          1.01  no difference\n"
              "allreduce      2  16 KiB  9.17 us    7.00 us *        1.31  32768 (p = 0.002)\n"
              "* faster than every other, tested over the launches of this run (95 %)\n");
}

TEST(SettingsText, ShowsWhatIsMissingOrNotToBeReliedOn) {
    auto comparison = limits_at(8, 100, 200, SettingVerdict::too_few_launches);
    comparison.settings[0].quality = analysis::Quality::disturbed;
    auto missing = limits_at(16, 100, 200, SettingVerdict::not_measured);
    missing.settings[1].value_ns.reset();
    const auto text = settings_text({comparison, missing}, plain);
    EXPECT_THAT(text, HasSubstr("~100 ns"));
    EXPECT_THAT(text, HasSubstr("too few launches to tell (--runs)"));
    EXPECT_THAT(text, HasSubstr("not measured"));
    EXPECT_THAT(text, Not(HasSubstr("* ")));
}

TEST(SettingsJson, HasTheSameFacts) {
    const auto json = settings_json({limits_at(16'384, 9'170, 7'000, SettingVerdict::best)}).at(0);
    EXPECT_EQ(json.at("operation"), "allreduce");
    EXPECT_EQ(json.at("size_bytes"), 16'384);
    EXPECT_FALSE(json.contains("setting"));
    EXPECT_EQ(json.at("verdict"), "best");
    EXPECT_EQ(json.at("best"), "btl_vader_eager_limit=32768");
    EXPECT_EQ(json.at("worst"), "btl_vader_eager_limit=4096");
    EXPECT_DOUBLE_EQ(json.at("ratio"), 1.31);
    EXPECT_EQ(json.at("p_next"), 0.0021);
    const auto& first = json.at("settings").at(0);
    EXPECT_EQ(first.at("setting"), "btl_vader_eager_limit=4096");
    EXPECT_EQ(first.at("values").at("btl_vader_eager_limit"), "4096");
    EXPECT_EQ(first.at("value_ns"), 9'170);
    EXPECT_EQ(first.at("within_run_ci95_ns").at(1), 9'180);
    EXPECT_EQ(first.at("starts_ns").size(), 2U);
}

TEST(SettingsSentence, SaysWhichIsFasterAndWhere) {
    EXPECT_EQ(sentence(limits_at(16'384, 9'170, 7'000, SettingVerdict::best)),
              "allreduce, 16 KiB, 2 processes: btl_vader_eager_limit=32768 is 1.31 times faster than 4096");
}

TEST(SettingsSentence, NamesOnlyThoseThatDifferWhereSeveralAreVaried) {
    auto comparison = limits_at(16'384, 9'170, 7'000, SettingVerdict::best);
    comparison.names = {"btl_vader_eager_limit", "coll_tuned_allreduce_algorithm"};
    comparison.settings[0].values = {"4096", "3"};
    comparison.settings[1].values = {"4096", "0"};
    EXPECT_THAT(sentence(comparison),
                HasSubstr(": coll_tuned_allreduce_algorithm=0 is 1.31 times faster than "
                          "coll_tuned_allreduce_algorithm=3"));
}

TEST(SettingsSentence, NamesTheNextWhereItIsAsGood) {
    auto comparison = limits_at(16'384, 7'010, 7'000, SettingVerdict::shared);
    comparison.p_slowest = 1e-6;
    EXPECT_EQ(conclusion(comparison), "32768 or 4096 (p < 0.001)");
}

}  // namespace
}  // namespace fathom::report

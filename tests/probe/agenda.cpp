#include "probe/agenda/agenda.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stats/change_points/interpolated.hpp"

namespace fathom::probe {
namespace {

using plan::PointSpec;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

/// The time of a point in nanoseconds; nothing if it cannot be measured.
using Law = std::function<std::optional<double>(const PointSpec& point)>;

plan::Job job_of(std::vector<std::string> operations, std::vector<std::string> sizes) {
    plan::Job job;
    job.plan.operations = std::move(operations);
    job.plan.sizes = std::move(sizes);
    job.plan.procs = {"2"};
    return job;
}

std::vector<PointSpec> planned(const plan::Job& job) {
    return plan::points_of(job.plan, 2);
}

/// The requested points, in order.
struct Asked {
    PointSpec point;
    bool added = false;
    std::optional<stats::CurvePoint> time;

    [[nodiscard]] std::string text() const {
        return std::to_string(point.index) + ": " + to_text(point.key) + " " + point.purpose;
    }
};

/// With an interval that reaches this share to either side.
std::optional<stats::CurvePoint> measured(const Law& law, const PointSpec& point, double reach) {
    const auto time = law(point);
    return time ? std::optional(stats::CurvePoint{
                      .x = 0, .median = *time, .low = *time * (1 - reach), .high = *time * (1 + reach)})
                : std::nullopt;
}

/// Measures everything that an agenda requests.
std::vector<Asked> done(Agenda& agenda, const Law& law, double reach = 0) {
    constexpr std::size_t far_too_many = 5'000;
    std::vector<Asked> all;
    while (const auto errand = agenda.next()) {
        const auto time = measured(law, errand->point, reach);
        all.push_back({errand->point, errand->added, time});
        agenda.visited(errand->point, {.ended = true, .time = time});
        if (all.size() > far_too_many) {
            ADD_FAILURE() << "it does not come to an end";
            break;
        }
    }
    return all;
}

std::vector<Asked> done(const plan::Job& job, const Law& law, double reach = 0) {
    Agenda agenda(job, planned(job));
    return done(agenda, law, reach);
}

std::vector<std::string> texts(const std::vector<Asked>& asked, std::size_t from = 0) {
    std::vector<std::string> found;
    for (auto i = from; i < asked.size(); ++i) {
        found.push_back(asked[i].text());
    }
    return found;
}

std::set<std::int64_t> sizes_of(const std::vector<Asked>& asked, const std::string& operation,
                                const std::string& purpose = "any") {
    std::set<std::int64_t> sizes;
    for (const auto& one : asked) {
        if (one.point.key.operation == operation && (purpose == "any" || one.point.purpose == purpose)) {
            sizes.insert(one.point.key.size.count);
        }
    }
    return sizes;
}

/// A line with a step after `last_below`, and another slope above.
double stepped(std::int64_t size, std::int64_t last_below) {
    const auto x = static_cast<double>(size);
    return size <= last_below ? 1'000 + 0.1 * x : 1'800 + 0.12 * x;
}

Law one_law() {
    return [](const PointSpec& point) { return stepped(point.key.size.count, 12'345); };
}

double smooth(std::int64_t size) {
    const auto x = static_cast<double>(size);
    return 1'000 + 0.1 * x + 40 * std::sqrt(x);
}

Law smooth_law() {
    return [](const PointSpec& point) { return smooth(point.key.size.count); };
}

TEST(Agenda, AsksForTheGivenPointsInTheirOrder) {
    auto job = job_of({"bcast", "barrier"}, {"8", "64", "1k"});
    auto points = planned(job);
    std::reverse(points.begin(), points.end());
    Agenda agenda(job, points);
    const auto asked = done(agenda, one_law());
    ASSERT_EQ(asked.size(), 4U);
    for (std::size_t i = 0; i < asked.size(); ++i) {
        EXPECT_EQ(asked[i].point.index, 3 - static_cast<int>(i));
        EXPECT_FALSE(asked[i].added);
    }
    EXPECT_FALSE(agenda.next());
}

TEST(Agenda, OfNothingIsDone) {
    Agenda agenda(job_of({"bcast"}, {"1:1M:auto"}), {});
    EXPECT_FALSE(agenda.next());
}

TEST(Agenda, VisitsPointsThatHaveNotEndedInRounds) {
    const auto job = job_of({"bcast"}, {"1", "2", "4"});
    Agenda agenda(job, planned(job));
    std::map<int, int> left{{0, 1}, {1, 3}, {2, 2}};
    std::vector<int> order;
    while (const auto errand = agenda.next()) {
        ASSERT_LT(order.size(), 100U);
        order.push_back(errand->point.index);
        agenda.visited(errand->point, {.ended = --left[errand->point.index] == 0, .time = std::nullopt});
    }
    EXPECT_THAT(order, ElementsAre(0, 1, 2, 1, 2, 1));
}

TEST(Agenda, AddsNothingWhereNothingIsRefined) {
    EXPECT_EQ(done(job_of({"bcast"}, {"1:1M"}), one_law()).size(), 21U);
}

TEST(Agenda, AddsNothingToAStraightLine) {
    const auto line = [](const PointSpec& point) {
        return 1'000 + 0.1 * static_cast<double>(point.key.size.count);
    };
    EXPECT_EQ(done(job_of({"bcast"}, {"1:1M:auto"}), line).size(), 21U);
}

TEST(Agenda, RefinesARangeUntilInterpolationIsGoodEnough) {
    auto job = job_of({"bcast"}, {"1:1M:auto"});
    job.plan.refine_percent = 1;
    job.plan.max_points = 1'000;
    const auto asked = done(job, smooth_law());
    EXPECT_GT(asked.size(), 21U);
    EXPECT_LT(asked.size(), 100U);
    std::map<std::int64_t, double> curve;
    for (const auto& one : asked) {
        EXPECT_TRUE(curve.emplace(one.point.key.size.count, one.time->median).second)
            << "asked twice: " << one.text();
        EXPECT_EQ(one.added, one.point.purpose == plan::purpose_refine);
        EXPECT_EQ(one.added, one.point.index >= 21);
    }
    for (std::int64_t size = 1; size <= 1 << 20; size += 1 + size / 100) {
        const auto exact = smooth(size);
        EXPECT_NEAR(stats::interpolated(curve, size), exact, 0.01 * exact) << size;
    }
}

TEST(Agenda, RefinesMoreWhereLessErrorIsAllowed) {
    std::size_t before = 0;
    for (const double percent : {20.0, 5.0, 1.0, 0.2}) {
        auto job = job_of({"bcast"}, {"1:1M:auto"});
        job.plan.refine_percent = percent;
        job.plan.max_points = 1'000;
        const auto now = done(job, smooth_law()).size();
        EXPECT_GE(now, before) << percent;
        before = now;
    }
    EXPECT_GT(before, 50U);
}

TEST(Agenda, StaysWithinTheRangesToBeRefined) {
    auto job = job_of({"bcast"}, {"1:64", "1k:64k:auto", "1M:4M"});
    job.plan.refine_percent = 0.5;
    for (const auto& one : done(job, smooth_law())) {
        if (one.added) {
            EXPECT_GT(one.point.key.size.count, 1 << 10);
            EXPECT_LT(one.point.key.size.count, 64 << 10);
        }
    }
}

TEST(Agenda, SpendsNoMorePointsOnACurveThanAllowed) {
    for (const std::int64_t most : {10, 21, 22, 40}) {
        const auto expected = static_cast<std::size_t>(std::max<std::int64_t>(21, most));
        auto fine = job_of({"bcast", "allreduce"}, {"1:1M:auto"});
        fine.plan.refine_percent = 0.01;
        fine.plan.max_points = most;
        const auto refined = done(fine, smooth_law());
        EXPECT_EQ(sizes_of(refined, "bcast").size(), expected) << most;
        EXPECT_EQ(sizes_of(refined, "allreduce").size(), expected) << most;
        auto exact = job_of({"bcast"}, {"1:1M"});
        exact.plan.locate_switches = true;
        exact.plan.max_points = most;
        EXPECT_LE(done(exact, one_law()).size(), expected) << most;
    }
}

TEST(Agenda, SharesThePointsOfACurveBetweenRefiningAndBisecting) {
    auto job = job_of({"bcast"}, {"1:1M:auto"});
    job.plan.locate_switches = true;
    job.plan.max_points = 28;
    const auto asked = done(job, one_law());
    EXPECT_EQ(asked.size(), 28U);
    EXPECT_THAT(sizes_of(asked, "bcast", plan::purpose_refine), Not(IsEmpty()));
    EXPECT_THAT(sizes_of(asked, "bcast", plan::purpose_switch), Not(IsEmpty()));
}

TEST(Agenda, RefinesEveryCurveForItself) {
    auto job = job_of({"bcast", "barrier", "allreduce"}, {"1:1M:auto"});
    job.plan.procs = {"1", "2"};
    const auto asked = done(job, [](const PointSpec& point) -> std::optional<double> {
        const bool bent = point.key.operation == "bcast" && point.key.procs == 2;
        return bent ? smooth(point.key.size.count) : 1'000 + static_cast<double>(point.key.size.count);
    });
    for (const auto& one : asked) {
        if (one.added) {
            EXPECT_EQ(one.point.key.operation, "bcast");
            EXPECT_EQ(one.point.key.pattern, "all");
            EXPECT_EQ(one.point.key.procs, 2);
        }
    }
    EXPECT_GT(asked.size(), 2 * (21U + 1 + 21));
}

TEST(Agenda, AddsPointsWithTheProgressOfTheirCurve) {
    auto job = job_of({"bcast"}, {"1:1M:auto"});
    job.plan.overlap.progress = plan::Progress::thread;
    std::size_t added = 0;
    for (const auto& asked :
         done(job, [](const auto& point) { return 100 + std::sqrt(point.key.size.count); })) {
        EXPECT_EQ(asked.point.key.progress, "thread");
        added += asked.added ? 1 : 0;
    }
    EXPECT_GT(added, 0U);
}

TEST(Agenda, RefinesProcessCounts) {
    auto job = job_of({"barrier", "bcast"}, {"8", "1M"});
    job.plan.procs = {"2:256:auto"};
    job.plan.refine_percent = 2;
    // Another algorithm from 100 processes on.
    const auto law = [](const PointSpec& point) -> std::optional<double> {
        const double time = 500 + 3.0 * point.key.procs;
        return point.key.operation == "bcast" && point.key.procs >= 100 ? 2 * time : time;
    };
    Agenda agenda(job, plan::points_of(job.plan, 256));
    std::map<std::pair<std::string, std::int64_t>, std::set<int>> procs;
    for (const auto& one : done(agenda, law)) {
        auto& found = procs[{one.point.key.operation, one.point.key.size.count}];
        EXPECT_TRUE(found.insert(one.point.key.procs).second) << "asked twice: " << one.text();
        EXPECT_GE(one.point.key.procs, 2);
        EXPECT_LE(one.point.key.procs, 256);
    }
    EXPECT_EQ((procs[{"barrier", 0}].size()), 8U);
    for (const std::int64_t size : {8, 1 << 20}) {
        const auto& found = procs[{"bcast", size}];
        const auto above = found.lower_bound(100);
        EXPECT_LE(*above - *std::prev(above), 3) << "the step is pinned down, size " << size;
    }
}

/// Operations switch at sizes of their own.
std::optional<double> with_switches(const PointSpec& point) {
    const std::map<std::string, std::int64_t> places{{"bcast", 12'345}, {"allreduce", 70'000}};
    const auto place = places.find(point.key.operation);
    return place == places.end() ? 1'000 : stepped(point.key.size.count, place->second);
}

TEST(Agenda, BisectsTheSwitchesOfEveryOperationToTheElement) {
    auto job = job_of({"bcast", "barrier", "allreduce"}, {"1:1M"});
    job.plan.locate_switches = true;
    const auto asked = done(job, with_switches);
    for (const auto& [operation, last_below] :
         {std::pair<std::string, std::int64_t>{"bcast", 12'345}, {"allreduce", 70'000}}) {
        const auto sizes = sizes_of(asked, operation);
        EXPECT_TRUE(sizes.contains(last_below)) << operation;
        EXPECT_TRUE(sizes.contains(last_below + plan::find_operation(operation).element)) << operation;
        EXPECT_LE(sizes.size(), 21U + 18) << operation << ": by halves";
    }
    for (const auto& one : asked) {
        EXPECT_EQ(one.point.purpose, one.added ? plan::purpose_switch : "");
    }
}

TEST(Agenda, BisectsSwitchesAfterRefining) {
    auto job = job_of({"bcast"}, {"1:1M:auto"});
    job.plan.locate_switches = true;
    const auto asked = done(job, with_switches);
    EXPECT_TRUE(sizes_of(asked, "bcast").contains(12'345));
    EXPECT_TRUE(sizes_of(asked, "bcast").contains(12'346));
    const auto first = std::find_if(asked.begin(), asked.end(), [](const auto& one) {
        return one.point.purpose == plan::purpose_switch;
    });
    const auto fine = std::find_if(first, asked.end(),
                                   [](const auto& one) { return one.point.purpose == plan::purpose_refine; });
    EXPECT_EQ(fine, asked.end()) << "a switch is looked for once the curve is fine enough";
}

TEST(Agenda, LooksForNoSwitchesUnlessAsked) {
    EXPECT_EQ(done(job_of({"bcast"}, {"1:1M"}), with_switches).size(), 21U);
    auto job = job_of({"bcast"}, {"1:1M"});
    job.plan.locate_switches = true;
    job.refining = false;
    EXPECT_EQ(done(job, with_switches).size(), 21U) << "later starts measure the same points as the first";
}

TEST(Agenda, RefinesNothingInLaterStarts) {
    auto job = job_of({"bcast"}, {"1:1M:auto"});
    job.refining = false;
    EXPECT_EQ(done(job, one_law()).size(), 21U);
}

TEST(Agenda, NumbersAddedPointsOnFromTheLast) {
    auto job = job_of({"bcast"}, {"1:1M:auto"});
    job.plan.refine_percent = 1;
    const auto fresh = done(job, smooth_law());
    job.next_index = 100;
    const auto later = done(job, smooth_law());
    ASSERT_EQ(later.size(), fresh.size());
    ASSERT_GT(fresh.size(), 25U);
    for (std::size_t i = 21; i < fresh.size(); ++i) {
        EXPECT_EQ(fresh[i].point.index, static_cast<int>(i));
        EXPECT_EQ(later[i].point.index, static_cast<int>(i) + 100 - 21);
    }
}

TEST(Agenda, ComesToAnEndWhereNothingCanBeMeasured) {
    auto job = job_of({"bcast", "allreduce"}, {"1:1M:auto"});
    job.plan.locate_switches = true;
    EXPECT_EQ(done(job, [](const PointSpec&) { return std::nullopt; }).size(), 42U);
}

TEST(Agenda, ComesToAnEndWhereAddedPointsCannotBeMeasured) {
    auto job = job_of({"bcast"}, {"1:1M:auto"});
    job.plan.locate_switches = true;
    job.plan.max_points = 1'000;
    const auto asked = done(job, [](const PointSpec& point) -> std::optional<double> {
        return point.purpose.empty() ? std::optional(stepped(point.key.size.count, 12'345)) : std::nullopt;
    });
    EXPECT_GT(asked.size(), 21U) << "they were tried";
    EXPECT_EQ(sizes_of(asked, "bcast").size(), asked.size()) << "once each";
}

TEST(Agenda, ComesToAnEndWhereSomePointsCannotBeMeasured) {
    auto job = job_of({"bcast"}, {"1:1M:auto"});
    job.plan.locate_switches = true;
    job.plan.max_points = 1'000;
    job.plan.refine_percent = 0.5;
    const auto asked = done(job, [](const PointSpec& point) -> std::optional<double> {
        return point.key.size.count % 3 == 2 || point.key.size.count > 300'000
                   ? std::nullopt
                   : std::optional(stepped(point.key.size.count, 12'345));
    });
    EXPECT_EQ(sizes_of(asked, "bcast").size(), asked.size()) << "each is tried once";
}

/// Jobs that are interrupted after some points and resumed.
struct Resumption {
    const char* name;
    std::vector<std::string> sizes;
    bool switches;
    Law law;
    double noise = 0;  ///< share of the time by which times are off at most
};

void PrintTo(const Resumption& resumption, std::ostream* out) {
    *out << resumption.name;
}

class ResumedAgenda : public ::testing::TestWithParam<Resumption> {
  protected:
    [[nodiscard]] plan::Job job() const {
        auto whole = job_of({"bcast", "allreduce"}, GetParam().sizes);
        whole.plan.locate_switches = GetParam().switches;
        whole.plan.refine_percent = 2;
        return whole;
    }
    /// The agenda of a job that continues after the first `count` points. `open` of the next ones
    /// were begun, so that they have their place in the store.
    [[nodiscard]] Agenda resumed(const std::vector<Asked>& all, std::size_t count, std::size_t open) const {
        auto rest = job();
        int next_index = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const auto& one = all[i];
            const bool stored = !one.added || i < count + open;
            if (stored) {
                next_index = std::max(next_index, one.point.index + 1);
            }
            if (i < count) {
                rest.known.push_back({one.point, true, one.time->median, one.time->low, one.time->high});
            } else if (stored) {
                rest.points.push_back(one.point);
            }
        }
        // A store gives them in the order of their numbers.
        std::sort(rest.known.begin(), rest.known.end(),
                  [](const auto& a, const auto& b) { return a.point.index < b.point.index; });
        rest.next_index = next_index;
        return Agenda(rest, rest.points);
    }
};

TEST_P(ResumedAgenda, AsksForExactlyWhatIsLeft) {
    const auto all = done(job(), GetParam().law, GetParam().noise);
    ASSERT_GT(all.size(), planned(job()).size());
    for (std::size_t count = 1; count < all.size(); ++count) {
        auto agenda = resumed(all, count, 0);
        ASSERT_EQ(texts(done(agenda, GetParam().law, GetParam().noise)), texts(all, count))
            << "after " << count << " points";
    }
}

/// Those interrupted within a point.
class InterruptedAgenda : public ResumedAgenda {};

TEST_P(InterruptedAgenda, BeginsWithThePointThatWasOpen) {
    const auto all = done(job(), GetParam().law, GetParam().noise);
    for (std::size_t count = 1; count < all.size(); ++count) {
        auto agenda = resumed(all, count, 1);
        ASSERT_EQ(texts(done(agenda, GetParam().law, GetParam().noise)), texts(all, count))
            << "after " << count << " points";
    }
}

TEST_P(ResumedAgenda, OfAFinishedJobIsDone) {
    const auto all = done(job(), GetParam().law, GetParam().noise);
    auto agenda = resumed(all, all.size(), 0);
    EXPECT_THAT(texts(done(agenda, GetParam().law, GetParam().noise)), IsEmpty());
}

/// Three times as steep from some size on.
std::optional<double> bent(const PointSpec& point) {
    const auto x = static_cast<double>(point.key.size.count);
    const double bend = point.key.operation == "bcast" ? 12'345 : 70'000;
    return 1'000 + 0.1 * x + 0.2 * std::max(0.0, x - bend);
}

/// Times that are off by up to a share, for every size always by the same.
Law with_noise(const Law& law, double share) {
    return [=](const PointSpec& point) -> std::optional<double> {
        const auto time = law(point);
        std::minstd_rand random(static_cast<std::uint32_t>(7 + point.key.size.count));
        random.discard(3);
        const double off = 2.0 * static_cast<double>(random()) / static_cast<double>(random.max()) - 1;
        return time ? std::optional(*time * (1 + share * off)) : std::nullopt;
    };
}

const auto only_refined = std::to_array<Resumption>({
    {"Refined", {"1:1M:auto"}, false, smooth_law()},
    {"RefinedAroundAStep", {"1:1M:auto"}, false, with_switches},
});

const auto with_bisection = std::to_array<Resumption>({
    {"Switches", {"1:1M"}, true, with_switches},
    {"RefinedAndSwitches", {"1:1M:auto"}, true, with_switches},
    {"SwitchesInNoise", {"1:1M"}, true, with_noise(with_switches, 0.02), 0.02},
    {"BendsInNoise", {"1:1M"}, true, with_noise(bent, 0.01), 0.01},
    {"RefinedAndSwitchesInNoise", {"1:1M:auto"}, true, with_noise(with_switches, 0.02), 0.02},
});

std::string name_of(const ::testing::TestParamInfo<Resumption>& given) {
    return given.param.name;
}

INSTANTIATE_TEST_SUITE_P(Refined, ResumedAgenda, ::testing::ValuesIn(only_refined), name_of);
INSTANTIATE_TEST_SUITE_P(Bisected, ResumedAgenda, ::testing::ValuesIn(with_bisection), name_of);
INSTANTIATE_TEST_SUITE_P(Refined, InterruptedAgenda, ::testing::ValuesIn(only_refined), name_of);
INSTANTIATE_TEST_SUITE_P(Bisected, InterruptedAgenda, ::testing::ValuesIn(with_bisection), name_of);

}  // namespace
}  // namespace fathom::probe

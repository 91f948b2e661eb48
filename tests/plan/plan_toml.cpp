#include "plan/plan_toml.hpp"

#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_support.hpp"
#include "plan/schemes.hpp"
#include "plan/settings.hpp"

namespace fathom::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::MatchesRegex;
using testing::refusal_of;
using ::testing::StartsWith;

Plan full_plan() {
    Plan plan;
    plan.label = "night run \"3\"";
    plan.operations = {"allreduce", "barrier"};
    plan.procs = {"2:32", "64"};
    plan.sizes = {"0", "1:1M", "3G"};
    plan.reps = 12'345;
    plan.warmup = 0;
    plan.start = StartMode::barrier;
    plan.stop = StopMode::skampi;
    plan.precision_percent = 0.25;
    plan.between_runs_percent = 0.5;
    plan.min_reps = 9;
    plan.max_reps = 99;
    plan.point_budget_ms = 1;
    plan.seed = INT64_MAX;
    plan.verify = false;
    plan.in_a_row = 100;
    plan.root = RootMode::rotating;
    plan.cache = Cache::cold;
    plan.order = Order::planned;
    plan.interleave = true;
    plan.runs = 10;
    plan.refine_percent = 12.5;
    plan.max_points = 33;
    plan.locate_switches = true;
    plan.compare_schemes = true;
    plan.over_ranks = OverRanks::span;
    plan.over_reps = "p99.9";
    plan.point_timeout_s = 7;
    plan.clock = clock::Source::monotonic;
    plan.clock_scheme = clock::Scheme::log;
    plan.clock_arity = 3;
    plan.clock_patience = 77;
    plan.clock_budget_percent = 2.5;
    plan.check_clock = true;
    plan.mpi = Flavour::mpich;
    plan.platform = "pure-16";
    plan.launcher = R"(ssh 'a b' mpirun -n {n} --x "c:\\d")";
    return plan;
}

void expect_same(const Plan& read, const Plan& written) {
    for (const auto& row : settings()) {
        EXPECT_EQ(row.get(read), row.get(written)) << row.key;
        EXPECT_EQ(row.absent(read), row.absent(written)) << row.key;
    }
}

/// Points with everything known about each.
auto everything(const std::vector<PointSpec>& points) {
    std::vector<std::tuple<int, std::string, std::string, int, std::int64_t, std::string, std::string>> all;
    for (const auto& point : points) {
        all.emplace_back(point.index, point.key.operation, point.key.pattern, point.key.procs,
                         point.key.size.count, point.key.scheme, point.purpose);
    }
    return all;
}

std::string refusal_of_toml(const std::string& toml) {
    return refusal_of([&] {
        Plan plan;
        read_plan(plan, toml, "plan.toml");
    });
}

TEST(ReadPlan, TakesEverySetting) {
    Plan plan;
    read_plan(plan, R"(
label = "night"
operations = ["bcast", "barrier"]
procs = 4
sizes = [8, "64k", "1:1M"]
reps = 50
warmup = 3
seed = 9
verify = false
point_timeout_s = 30
mpi = "openmpi"
platform = "pure-16"
launcher = "srun -n {n}"
)",
              "plan.toml");
    EXPECT_EQ(plan.label, "night");
    EXPECT_THAT(plan.operations, ElementsAre("bcast", "barrier"));
    EXPECT_THAT(plan.procs, ElementsAre("4"));
    EXPECT_THAT(plan.sizes, ElementsAre("8", "64k", "1:1M"));
    EXPECT_EQ(plan.reps, 50);
    EXPECT_EQ(plan.warmup, 3);
    EXPECT_EQ(plan.seed, 9);
    EXPECT_FALSE(plan.verify);
    EXPECT_EQ(plan.point_timeout_s, 30);
    EXPECT_EQ(plan.mpi, Flavour::openmpi);
    EXPECT_EQ(plan.platform, "pure-16");
    EXPECT_EQ(plan.launcher, "srun -n {n}");
}

TEST(ReadPlan, LeavesWhatItDoesNotName) {
    auto plan = full_plan();
    read_plan(plan, "reps = 5\n", "plan.toml");
    auto expected = full_plan();
    expected.reps = 5;
    expect_same(plan, expected);
}

TEST(ReadPlan, TakesAPresetAsTheGroundWhereverItIsNamed) {
    Plan plan;
    read_plan(plan, "reps = 5\npreset = \"quick\"\n", "plan.toml");
    EXPECT_EQ(plan.reps, 5);
    EXPECT_THAT(plan.operations, ElementsAre("pingpong", "barrier", "bcast", "allreduce"));
}

TEST(ReadPlan, TakesASchemeAsTheGroundWhereverItIsNamed) {
    for (const auto* toml : {"scheme = \"as-pmb\"\nin_a_row = 7\nover_reps = \"p99\"\n",
                             "in_a_row = 7\nover_reps = \"p99\"\nscheme = \"as-pmb\"\n"}) {
        Plan plan;
        read_plan(plan, toml, "plan.toml");
        EXPECT_EQ(plan.scheme, "as-pmb");
        EXPECT_THAT(plan.scheme_overrides, ::testing::UnorderedElementsAre("in_a_row", "over_reps"));
        EXPECT_EQ(plan.start, StartMode::mpi_barrier) << "which the scheme says";
        EXPECT_EQ(plan.root, RootMode::rotating);
        EXPECT_EQ(plan.in_a_row, 7) << "which the file says";
        EXPECT_EQ(plan.over_reps, "p99");
    }
}

TEST(ReadPlan, TakesASchemeOverAPreset) {
    Plan plan;
    read_plan(plan, "scheme = \"as-osu\"\npreset = \"standard\"\n", "plan.toml");
    EXPECT_THAT(plan.sizes, ElementsAre("1:1M"));
    EXPECT_EQ(plan.stop, StopMode::fixed);
}

TEST(ReadPlan, OfAStoredPlanKnowsWhatWasGivenBesidesTheScheme) {
    Plan plan;
    read_plan(plan, "scheme = \"as-imb\"\nmax_reps = 200\n", "plan.toml");
    Plan again;
    read_plan(again, write_plan(plan), "stored");
    EXPECT_THAT(again.scheme_overrides, ElementsAre("max_reps"));
    expect_same(again, plan);
    EXPECT_EQ(refusal_of([] {
                  Plan wrong;
                  read_plan(wrong, "scheme_overrides = 3\n", "plan.toml");
              }),
              "plan.toml:1: 'scheme_overrides' must be a list of settings.");
}

TEST(ReadPlan, TakesItsSchema) {
    EXPECT_EQ(refusal_of_toml("schema = \"fathom.plan/1\"\nreps = 5\n"), "nothing was refused");
}

struct Mistake {
    const char* name;
    const char* toml;
    const char* message;
};

void PrintTo(const Mistake& mistake, std::ostream* out) {
    *out << mistake.name;
}

class Mistakes : public ::testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, AreRefusedWithPlaceAndMend) {
    EXPECT_EQ(refusal_of_toml(GetParam().toml), GetParam().message);
}

constexpr auto mistakes = std::to_array<Mistake>({
    {"UnknownKey", "label = \"x\"\n\nreps = 5\nresp = 6\n",
     "plan.toml:4: no setting 'resp'. Did you mean 'reps'?"},
    {"UnknownKeyLikeNone", "frobnicate = 6\n", "plan.toml:1: no setting 'frobnicate'."},
    {"OtherTable", "reps = 5\n[job]\npoints = [1]\n", "plan.toml:2: no setting 'job'."},
    {"DottedKey", "net.size = 5\n", "plan.toml:1: no setting 'net'."},
    {"NumberTooSmall", "\nreps = 0\n",
     "plan.toml:2: 'reps' is 0; give a number from 1 to 1000000000, or remove the line."},
    {"NumberNegative", "procs = -4\n",
     "plan.toml:1: 'procs' is -4; give a number from 1 to 10000000, or several as 2,4,8 or 2:64, or remove "
     "the line."},
    {"NumberTooLarge", "point_timeout_s = 1000001\n",
     "plan.toml:1: 'point_timeout_s' is 1000001; give a number of seconds from 1 to 1000000, or remove the "
     "line."},
    {"NumberBroken", "warmup = 1.5\n",
     "plan.toml:1: 'warmup' is 1.5; give a number from 0 to 1000000000, or remove the line."},
    {"NumberAsWord", "seed = \"random\"\n",
     "plan.toml:1: 'seed' is \"random\"; give a number from 0 to 9223372036854775807, or remove the line."},
    {"NumberAsTruth", "reps = true\n",
     "plan.toml:1: 'reps' is true; give a number from 1 to 1000000000, or remove the line."},
    {"NumberAsList", "reps = [1, 2]\n",
     "plan.toml:1: 'reps' is [1, 2]; give a number from 1 to 1000000000, or remove the line."},
    {"TruthAsWord", "verify = \"yes\"\n",
     "plan.toml:1: 'verify' is \"yes\"; give true or false, or remove the line."},
    {"TextAsNumber", "label = 7\n", "plan.toml:1: 'label' is 7; give a text in quotes, or remove the line."},
    {"FlavourAsTruth", "mpi = true\n",
     "plan.toml:1: 'mpi' is true; give a flavour such as openmpi in quotes, or remove the line."},
    {"PlatformAsNumber", "platform = 16\n",
     "plan.toml:1: 'platform' is 16; give a platform's name in quotes, or remove the line."},
    {"LauncherEmpty", "launcher = \"\"\n",
     "plan.toml:1: 'launcher' is \"\"; give a command such as 'srun -n {n}', or remove the line."},
    {"LauncherOpenQuote", "launcher = \"srun 'x\"\n",
     "plan.toml:1: 'launcher' is \"srun 'x\"; unmatched quote (') in: srun 'x, or remove the line."},
    {"NoOperations", "operations = []\n",
     "plan.toml:1: 'operations' is []; give at least one; 'fathom list ops' shows all, or remove the line."},
    {"NoSizes", "sizes = []\n",
     "plan.toml:1: 'sizes' is []; give sizes such as 8, 64k or 1:1M, or remove the line."},
    {"SizeJunk", "reps = 5\nsizes = [\"8\", \"lots\"]\n",
     "plan.toml:2: 'sizes' is [8, lots]; 'lots' is not a size; give bytes such as 8, 64k or 1M, or remove "
     "the "
     "line."},
    {"SizeBackwards", "sizes = \"1M:1k\"\n",
     "plan.toml:1: 'sizes' is \"1M:1k\"; the range '1M:1k' runs backwards; give the smaller size first, or "
     "remove "
     "the line."},
    {"SizeNegative", "sizes = -1\n",
     "plan.toml:1: 'sizes' is -1; '-1' is not a size; give bytes such as 8, 64k or 1M, or remove the line."},
    {"Date", "label = 1979-05-27\n",
     "plan.toml:1: 'label' has a value of the wrong type; see docs/plans.md."},
    {"TableForASetting", "[reps]\nx = 1\n",
     "plan.toml:1: 'reps' has a value of the wrong type; see docs/plans.md."},
    {"NestedList", "sizes = [[1, 2]]\n",
     "plan.toml:1: 'sizes' has a value of the wrong type; see docs/plans.md."},
    {"BrokenNumberInAList", "sizes = [1, 2.5]\n",
     "plan.toml:1: 'sizes' has a value of the wrong type; see docs/plans.md."},
    {"PresetUnknown", "reps = 5\npreset = \"quik\"\n",
     "plan.toml:2: no preset 'quik'. Did you mean 'quick'? ('fathom list presets' shows all.)"},
    {"PresetAsNumber", "preset = 5\n", "plan.toml:1: 'preset' must be a name in quotes."},
    {"SchemeUnknown", "reps = 5\nscheme = \"as-ozu\"\n",
     "plan.toml:2: no scheme 'as-ozu'. Did you mean 'as-osu'? ('fathom list schemes' shows all.)"},
    {"SchemeAsNumber", "scheme = 5\n", "plan.toml:1: 'scheme' must be a name in quotes."},
    {"WordOfNoChoice", "root = \"wandering\"\n",
     "plan.toml:1: 'root' is \"wandering\"; give one of fixed, rotating, or remove the line."},
    {"QuantileOfNothing", "over_reps = \"p101\"\n",
     "plan.toml:1: 'over_reps' is \"p101\"; give median, mean, min, max, skampi-middle or a quantile such as "
     "p99, or remove the line."},
    {"ProcessCountsBackwards", "procs = [2, \"64:8\"]\n",
     "plan.toml:1: 'procs' is [2, 64:8]; the range '64:8' runs backwards; give the smaller count first, or "
     "remove the line."},
    {"SchemaOfAnother", "\nschema = \"fathom.plan/2\"\n", "plan.toml:2: 'schema' must be \"fathom.plan/1\"."},
    {"SchemaAsNumber", "schema = 1\n", "plan.toml:1: 'schema' must be \"fathom.plan/1\"."},
});

INSTANTIATE_TEST_SUITE_P(PlanToml, Mistakes, ::testing::ValuesIn(mistakes),
                         [](const auto& given) { return std::string(given.param.name); });

TEST(ReadPlan, RefusesAnUnknownOperationWithPlaceAndNearest) {
    EXPECT_EQ(
        refusal_of_toml("\n\noperations = [\"bcast\", \"alreduce\"]\n"),
        "plan.toml:3: no operation 'alreduce'. Did you mean 'allreduce'? ('fathom list ops' shows all.)");
}

TEST(ReadPlan, NamesTheLineOfASyntaxError) {
    EXPECT_THAT(refusal_of_toml("reps = 5\nsizes = [\"8\"\nlabel = \"x\"\n"),
                MatchesRegex("plan\\.toml:[23]: .+\\."));
    EXPECT_THAT(refusal_of_toml("reps = 5\n\nlabel = \n"), MatchesRegex("plan\\.toml:[34]: .+\\."));
    EXPECT_THAT(refusal_of_toml("reps 5\n"), StartsWith("plan.toml:1: "));
}

TEST(ReadPlan, RefusesAKeyGivenTwice) {
    EXPECT_THAT(refusal_of_toml("reps = 5\nreps = 6\n"), StartsWith("plan.toml:2: "));
}

TEST(ReadPlan, RefusesBytesThatAreNoText) {
    EXPECT_THAT(refusal_of_toml("reps = 5\nlabel = \"\xff\xfe\"\n"), StartsWith("plan.toml:2: "));
}

TEST(ReadPlan, TakesAnEmptyFileAsSayingNothing) {
    EXPECT_EQ(refusal_of_toml(""), "nothing was refused");
    EXPECT_EQ(refusal_of_toml("# nothing but a comment\n"), "nothing was refused");
}

TEST(WritePlan, IsReadBackUnchanged) {
    Plan read;
    read_plan(read, write_plan(full_plan()), "plan.toml");
    expect_same(read, full_plan());
}

TEST(WritePlan, IsReadBackUnchangedWhereThePlanSaysLittle) {
    Plan read;
    read_plan(read, write_plan(Plan{}), "plan.toml");
    expect_same(read, Plan{});
    EXPECT_THAT(read.procs, ::testing::IsEmpty());
}

TEST(WritePlan, IsReadBackUnchangedWithAScheme) {
    for (const auto& scheme : schemes()) {
        Plan written;
        apply_scheme(written, scheme.name);
        written.in_a_row = 3;
        written.warmup = 9;
        Plan read;
        read_plan(read, write_plan(written), "plan.toml");
        EXPECT_EQ(read.scheme, scheme.name);
        expect_same(read, written);
    }
}

TEST(WritePlan, KeepsOddTexts) {
    for (const std::string text :
         {"'single'", "\"double\"", "both ' and \"", R"(back\slash)", "tab\there", "two\nlines",
          "caf\xc3\xa9", "'''", "\"\"\"", " blanks ", "#", "\x01", "true", "5"}) {
        Plan plan;
        plan.platform = text;
        Plan read;
        read_plan(read, write_plan(plan), "plan.toml");
        EXPECT_EQ(read.platform, text);
    }
}

TEST(ReadPlan, RefusesKeysOfManyParts) {
    std::string key = "a";
    for (int i = 0; i < 40'000; ++i) {
        key += ".a";
    }
    const auto refused = [](const std::string& text) {
        return refusal_of([&] {
            Plan plan;
            read_plan(plan, text, "p.toml");
        });
    };
    EXPECT_EQ(refused("reps = 5\n" + key + " = 1\n"), "p.toml:2: a key has more than 32 parts.");
    EXPECT_EQ(refused("[" + key + "]\n"), "p.toml:1: a key has more than 32 parts.");
    EXPECT_EQ(refused("x = \"\"\"\n\"\"\"\n" + key + " = 1\n"), "p.toml:3: a key has more than 32 parts.");
    std::string quoted = "'a'";
    for (int i = 0; i < 100; ++i) {
        quoted += " . \"a\"";
    }
    EXPECT_EQ(refused("x = {" + quoted + " = 1}"), "p.toml:1: a key has more than 32 parts.");
    // What is no key may have any number of dots.
    Plan plan;
    read_plan(plan, "label = \"" + std::string(50, '.') + "\" # " + key + "\n", "p.toml");
    EXPECT_EQ(plan.label, std::string(50, '.'));
}

TEST(ReadPlan, RefusesLabelsThatCouldNotBeFoundAgain) {
    for (const char* label : {"7", "last", "two\\nlines"}) {
        Plan plan;
        EXPECT_THROW(read_plan(plan, std::string("label = \"") + label + "\"", "plan.toml"), BadInput)
            << label;
    }
    Plan plan;
    read_plan(plan, "label = \"7 nodes\"", "plan.toml");
    EXPECT_EQ(plan.label, "7 nodes");
}

TEST(WritePlan, NamesItsSchema) {
    EXPECT_THAT(write_plan(Plan{}), ::testing::ContainsRegex("schema = ['\"]fathom\\.plan/1['\"]"));
}

TEST(Job, IsReadBackUnchanged) {
    const auto planned = points_of(full_plan(), 64);
    const Job written{.plan = full_plan(),
                      .journal = "/tmp/a b/run 7.journal",
                      .points = {planned.at(3), planned.at(0), planned.at(12)}};
    const auto read = read_job(write_job(written), "job.toml");
    expect_same(read.plan, written.plan);
    EXPECT_EQ(read.journal, written.journal);
    EXPECT_EQ(everything(read.points), everything(written.points));
}

TEST(Job, CarriesPointsThatWereFoundOnTheWay) {
    Job written;
    written.plan = full_plan();
    written.journal = "j";
    written.points = {
        {.index = 41,
         .key = {.operation = "bcast",
                 .pattern = "all",
                 .procs = 64,
                 .size = {(std::int64_t{5} << 30) + 1},
                 .scheme = "as-imb"},
         .purpose = purpose_switch},
        {.index = 42, .key = {.operation = "barrier", .pattern = "all", .procs = 3, .size = {0}}}};
    const auto read = read_job(write_job(written), "job.toml");
    EXPECT_EQ(everything(read.points), everything(written.points));
}

TEST(Job, CarriesWhatEarlierJobsMeasured) {
    Job written;
    written.plan = full_plan();
    written.journal = "j";
    written.known = {
        {.point = {.index = 3,
                   .key = {.operation = "bcast", .pattern = "all", .procs = 64, .size = {777}},
                   .purpose = purpose_refine},
         .median_ns = 1234.5678901234567,
         .low_ns = 1.0 / 3,
         .high_ns = 1e15 + 0.125},
        {.point = {.index = 4, .key = {.operation = "bcast", .pattern = "all", .procs = 64, .size = {8}}},
         .median_ns = 100,
         .low_ns = 99,
         .high_ns = 101}};
    written.next_index = 43;
    written.refining = false;
    const auto read = read_job(write_job(written), "job.toml");
    ASSERT_EQ(read.known.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(everything({read.known[i].point}), everything({written.known[i].point}));
        EXPECT_EQ(read.known[i].median_ns, written.known[i].median_ns) << "to the last bit";
        EXPECT_EQ(read.known[i].low_ns, written.known[i].low_ns);
        EXPECT_EQ(read.known[i].high_ns, written.known[i].high_ns);
    }
    EXPECT_EQ(read.next_index, 43);
    EXPECT_FALSE(read.refining);
}

TEST(Job, MayBeAStudyOfTheClock) {
    Job written;
    written.plan = full_plan();
    written.clock = {.kind = ClockStudy::check,
                     .repeat = 7,
                     .length = {5},
                     .every = {6},
                     .pairs = 8,
                     .pings = 9,
                     .after = {{0}, {60'000'000'000}},
                     .events = 11};
    const auto read = read_job(write_job(written), "job.toml").clock;
    EXPECT_EQ(read.kind, ClockStudy::check);
    EXPECT_EQ(read.repeat, 7);
    EXPECT_EQ(read.length.count, 5);
    EXPECT_EQ(read.every.count, 6);
    EXPECT_EQ(read.pairs, 8);
    EXPECT_EQ(read.pings, 9);
    EXPECT_EQ(read.after, written.clock.after);
    EXPECT_EQ(read.events, 11);
}

TEST(Job, CarriesWhoMakesCommunicationGoOn) {
    Job written{.plan = full_plan(), .journal = "j", .points = {}};
    written.plan.overlap.progress = Progress::both;
    EXPECT_EQ(read_job(write_job(written), "job.toml").progress, "");
    written.progress = progress_thread;
    EXPECT_EQ(read_job(write_job(written), "job.toml").progress, "thread");
}

TEST(Job, StartedByHandLooksForTheThreadThatItsPlanAsksFor) {
    EXPECT_EQ(read_job("progress = \"thread\"\n", "night.toml").progress, "thread");
    EXPECT_EQ(read_job("progress = \"both\"\n", "night.toml").progress, "thread");
    EXPECT_EQ(read_job("reps = 5\n", "night.toml").progress, "");
}

TEST(Job, WithoutPointsMeansAll) {
    const auto read = read_job(write_job({.plan = full_plan(), .journal = "j", .points = {}}), "job.toml");
    EXPECT_THAT(read.points, ::testing::IsEmpty());
}

TEST(Job, MayBeAPlainPlanStartedByABatchScript) {
    const auto job = read_job("reps = 5\n", "night.toml");
    EXPECT_EQ(job.journal, "night.toml.journal");
    EXPECT_EQ(job.plan.reps, 5);
    EXPECT_THAT(job.plan.operations, ElementsAre("pingpong", "barrier", "bcast", "allreduce"));
    EXPECT_THAT(job.points, ::testing::IsEmpty());
    EXPECT_THAT(job.known, ::testing::IsEmpty());
    EXPECT_EQ(job.next_index, 0);
    EXPECT_TRUE(job.refining);
}

TEST(Job, RefusesMistakesInItsPlan) {
    EXPECT_EQ(refusal_of([] { read_job("[job]\njournal = \"x\"\n[jop]\n", "job.toml"); }),
              "job.toml:3: no setting 'jop'.");
}

}  // namespace
}  // namespace fathom::plan

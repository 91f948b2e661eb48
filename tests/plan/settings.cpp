#include "plan/settings.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "base/test_support.hpp"
#include "base/text.hpp"
#include "plan/trace_setting.hpp"

namespace fathom::plan {
namespace {

using testing::refusal_of;
using Words = std::vector<std::string>;

const Setting& setting(std::string_view key) {
    const auto rows = settings();
    const auto row =
        std::find_if(rows.begin(), rows.end(), [&](const auto& known) { return known.key == key; });
    if (row == rows.end()) {
        throw std::out_of_range("no setting " + std::string(key));
    }
    return *row;
}

std::string refusal(std::string_view key, const SettingValue& value) {
    return refusal_of([&] {
        Plan plan;
        setting(key).set(plan, value);
    });
}

/// A value for every key, none of them the default.
const std::map<std::string_view, SettingValue> examples{
    {"label", "night run"},
    {"operations", Words{"bcast", "barrier"}},
    {"procs", Words{"2:8", "12"}},
    {"tags", Words{"switch=new", "rev=3f2a"}},
    {"start", "window"},
    {"stop", "skampi"},
    {"precision_percent", 0.5},
    {"between_runs_percent", 0.75},
    {"min_reps", std::int64_t{7}},
    {"max_reps", std::int64_t{77}},
    {"budget_s", 90.0},
    {"revisit_percent", 50.0},
    {"point_least_ms", std::int64_t{30}},
    {"point_budget_ms", std::int64_t{250}},
    {"clock", "monotonic"},
    {"clock_scheme", "log"},
    {"clock_arity", std::int64_t{3}},
    {"clock_patience", std::int64_t{20}},
    {"clock_budget_percent", 2.5},
    {"check_clock", true},
    {"judge", true},
    {"sizes", Words{"8", "1:1M"}},
    {"reps", std::int64_t{123}},
    {"warmup", std::int64_t{4}},
    {"seed", std::int64_t{99}},
    {"verify", false},
    {"counters", "off"},
    {"pair", "2-5"},
    {"pairs", Words{"0-3", "1-2"}},
    {"groups", std::int64_t{4}},
    {"ranks", Words{"0", "2", "4-7"}},
    {"window", std::int64_t{16}},
    {"partitions", std::int64_t{8}},
    {"size_as", "total"},
    {"distribution", "one-heavy"},
    {"type", "double"},
    {"reduce_op", "user-ordered"},
    {"window_memory", "shared"},
    {"target", "working"},
    {"target_work_us", std::int64_t{30}},
    {"pieces", std::int64_t{12}},
    {"piece_work_us", std::int64_t{250}},
    {"grid", std::int64_t{64}},
    {"imbalance_percent", 12.5},
    {"iterations", std::int64_t{77}},
    {"work", "memory"},
    {"tests", std::int64_t{3}},
    {"test_intervals", std::vector<std::string>{"1k", "64k"}},
    {"base_threshold", 1.04},
    {"stop_threshold", 2.5},
    {"work_limit_ms", std::int64_t{20}},
    {"progress", "both"},
    {"vary", Words{"OMPI_MCA_btl_vader_eager_limit=4096,32768", "UCX_TLS=sm,self;tcp"}},
    {"via", Words{"library", "tree:flat.toml"}},
    {"trace", "every=10"},
    {"trace_ring", std::int64_t{1000}},
    {"shared_edge_ns", std::int64_t{500}},
    {"in_a_row", std::int64_t{100}},
    {"root", "rotating"},
    {"cache", "cold"},
    {"order", "planned"},
    {"interleave", true},
    {"runs", std::int64_t{10}},
    {"refine_percent", 12.5},
    {"max_points", std::int64_t{33}},
    {"locate_switches", true},
    {"compare_schemes", true},
    {"over_ranks", "span"},
    {"over_reps", "p99"},
    {"round_trip", "whole"},
    {"finish", "mpi-barrier"},
    {"point_timeout_s", std::int64_t{5}},
    {"mpi", "mpich"},
    {"platform", "pure-16"},
    {"launcher", "srun -n {n}"},
    {"contended", true},
    {"bind", "none"},
    {"thread_level", Words{"single", "multiple"}},
    {"ranks_per_host", std::int64_t{2}},
};

TEST(Settings, GiveBackWhatTheyWereSetTo) {
    for (const auto& row : settings()) {
        ASSERT_TRUE(examples.contains(row.key)) << "this test needs an example of " << row.key;
        Plan plan;
        const auto before = row.get(plan);
        row.set(plan, examples.at(row.key));
        EXPECT_EQ(row.get(plan), examples.at(row.key)) << row.key;
        EXPECT_NE(row.get(plan), before) << row.key << ": the example must not be the default";
        EXPECT_FALSE(row.absent(plan)) << row.key;
    }
}

TEST(Settings, ChangeNoOtherSetting) {
    for (const auto& row : settings()) {
        Plan plan;
        row.set(plan, examples.at(row.key));
        for (const auto& other : settings()) {
            if (other.key != row.key) {
                EXPECT_EQ(other.get(plan), other.get(Plan{})) << row.key << " changes " << other.key;
            }
        }
    }
}

TEST(Settings, SayEachWhetherRunsThatDifferInThemCanBeCompared) {
    for (const auto& row : settings()) {
        EXPECT_TRUE(row.if_different == IfDifferent::comparable ||
                    row.if_different == IfDifferent::not_comparable)
            << row.key << " leaves it out";
    }
    EXPECT_EQ(setting("seed").if_different, IfDifferent::comparable);
    EXPECT_EQ(setting("cache").if_different, IfDifferent::not_comparable);
}

TEST(Settings, HaveKeysAndOptionsOfTheirOwn) {
    std::set<std::string> seen;
    for (const auto& row : settings()) {
        EXPECT_TRUE(seen.insert(std::string(row.key)).second) << row.key;
        for (const auto& option : split(row.options, ',')) {
            EXPECT_TRUE(seen.insert(option).second) << option;
        }
        EXPECT_FALSE(row.help.empty()) << row.key;
        EXPECT_EQ(row.value_name.empty(), row.kind == SettingKind::toggle) << row.key;
    }
}

TEST(Settings, AreAbsentOnlyWhereThePlanSaysNothing) {
    const Plan empty;
    for (const auto* key : {"label", "operations", "procs", "sizes", "reps", "warmup", "pairs", "mpi",
                            "platform", "launcher"}) {
        EXPECT_TRUE(setting(key).absent(empty)) << key;
    }
    for (const auto* key : {"start", "stop", "min_reps", "max_reps", "seed", "verify", "pair", "window",
                            "distribution", "imbalance_percent", "point_timeout_s"}) {
        EXPECT_FALSE(setting(key).absent(empty)) << key;
    }
}

TEST(Settings, SayWhichCallsAreTraced) {
    Plan plan;
    const std::map<std::string, std::int64_t> given{{"all", 1}, {"every=1", 1}, {"every=25", 25}, {"off", 0}};
    for (const auto& [text, every] : given) {
        EXPECT_TRUE(is_trace_value(text)) << text;
        setting("trace").set(plan, text);
        EXPECT_EQ(plan.trace.every, every) << text;
    }
    EXPECT_TRUE(setting("trace").absent(plan)) << "off is not stored";
    EXPECT_FALSE(is_trace_value("allreduce")) << "may follow --trace on the command line";
    EXPECT_EQ(refusal("trace", "every=0"), "give a number from 1 to 1000000000");
    EXPECT_EQ(refusal("trace", "every="), "give a number from 1 to 1000000000");
    EXPECT_EQ(refusal("trace", true), "give all, every=K, window=FROM..TO or off in quotes");
}

TEST(Settings, TraceMayHaveAWindowOfTime) {
    Plan plan;
    plan.trace.ring = 100;
    const std::array<std::pair<const char*, const char*>, 4> texts{{
        {"window=1s..2s", "window=1s..2s"},
        {"window=..1.5s", "window=..1500ms"},
        {"window=20us..,every=10", "every=10,window=20us.."},
        {"all", "all"},
    }};
    for (const auto& [given, kept] : texts) {
        EXPECT_TRUE(is_trace_value(given)) << given;
        setting("trace").set(plan, given);
        EXPECT_EQ(setting("trace").get(plan), SettingValue(kept)) << "the last one is forgotten";
    }
    EXPECT_EQ(plan.trace.ring, 100);
    setting("trace").set(plan, "window=1ms..3ms");
    EXPECT_EQ(plan.trace.every, 1);
    EXPECT_EQ(plan.trace.from, Nanoseconds{1'000'000});
    EXPECT_EQ(plan.trace.until, Nanoseconds{3'000'000});
    const auto* const what =
        "give all, off, every=K such as every=10, window=FROM..TO such as window=1s..2s, or "
        "the last two with a comma";
    for (const auto* const wrong : {"often", "window=", "window=..", "window=1s", "every=2,all"}) {
        EXPECT_EQ(refusal("trace", wrong), what) << wrong;
    }
    EXPECT_EQ(refusal("trace", "window=2s..1s"), "'2s..1s' ends before it begins");
    EXPECT_EQ(refusal("trace", "window=-1s..1s"), "'-1s' is not a time; give one such as 60s, 500ms or 2h");
}

TEST(Settings, NameImplementationsAnew) {
    Plan plan;
    plan.trees = {{.name = "flat", .file = "flat.toml", .text = "old"}};
    setting("via").set(plan, "library,tree:flat.toml");
    EXPECT_EQ(plan.via, (Words{"library", "tree:flat.toml"}));
    EXPECT_TRUE(plan.trees.empty()) << "the file may have changed";
    EXPECT_EQ(refusal("via", "flat.toml"), "give library, library:NAME, tree:FILE or reference:NAME");
    EXPECT_EQ(refusal("via", ""), "give library, tree:FILE, or several with commas");
}

TEST(Settings, TakeNumbersWrittenAsTextFromTheCommandLine) {
    Plan plan;
    setting("reps").set(plan, "250");
    setting("procs").set(plan, "16");
    EXPECT_EQ(plan.reps, 250);
    EXPECT_EQ(plan.procs, Words{"16"});
}

TEST(Settings, TakeOneTextWithCommasAsAList) {
    Plan plan;
    setting("operations").set(plan, "bcast, barrier");
    setting("sizes").set(plan, "8,1:4");
    EXPECT_EQ(plan.operations, (Words{"bcast", "barrier"}));
    EXPECT_EQ(plan.sizes, (Words{"8", "1:4"}));
    setting("sizes").set(plan, std::int64_t{512});
    EXPECT_EQ(plan.sizes, Words{"512"});
}

TEST(Settings, TakeTheEndsOfARangeAndNothingBeyond) {
    struct Range {
        const char* key;
        std::int64_t low;
        std::int64_t high;
        std::string mend;
    };
    const auto ranges = std::to_array<Range>({
        {"reps", 1, 1'000'000'000, "give a number from 1 to 1000000000"},
        {"warmup", 0, 1'000'000'000, "give a number from 0 to 1000000000"},
        {"in_a_row", 1, 1'000'000, "give a number from 1 to 1000000"},
        {"runs", 1, 1'000, "give a number from 1 to 1000"},
        {"max_points", 1, 100'000, "give a number from 1 to 100000"},
        {"window", 1, 100'000, "give a number from 1 to 100000"},
        {"partitions", 1, 100'000, "give a number from 1 to 100000"},
        {"pieces", 1, 1'000'000, "give a number from 1 to 1000000"},
        {"piece_work_us", 0, 10'000'000, "give a number from 0 to 10000000"},
        {"grid", 4, 20'000, "give a number from 4 to 20000"},
        {"iterations", 1, 1'000'000'000, "give a number from 1 to 1000000000"},
        {"tests", 0, 1'000'000, "give a number from 0 to 1000000"},
        {"work_limit_ms", 1, 1'000'000'000, "give a number of milliseconds from 1 to 1000000000"},
        {"point_timeout_s", 1, 1'000'000, "give a number of seconds from 1 to 1000000"},
    });
    for (const auto& [key, low, high, mend] : ranges) {
        EXPECT_EQ(refusal(key, low), "nothing was refused") << key;
        EXPECT_EQ(refusal(key, high), "nothing was refused") << key;
        EXPECT_EQ(refusal(key, low - 1), mend) << key;
        EXPECT_EQ(refusal(key, high + 1), mend) << key;
        for (const auto& junk : {SettingValue("many"), SettingValue(""), SettingValue("12x"),
                                 SettingValue(" 12"), SettingValue("99999999999999999999"), SettingValue(1.5),
                                 SettingValue(true), SettingValue(Words{"1"})}) {
            EXPECT_EQ(refusal(key, junk), mend) << key << " " << quoted(junk);
        }
    }
    EXPECT_EQ(refusal("seed", std::int64_t{INT64_MAX}), "nothing was refused");
    EXPECT_EQ(refusal("seed", std::int64_t{-1}), "give a number from 0 to 9223372036854775807");
}

TEST(Settings, SayWhatToGiveInsteadOfAnotherKind) {
    EXPECT_EQ(refusal("label", std::int64_t{1}), "give a text in quotes");
    EXPECT_EQ(refusal("mpi", true), "give a flavour such as openmpi in quotes");
    EXPECT_EQ(refusal("platform", 1.5), "give a platform's name in quotes");
    EXPECT_EQ(refusal("launcher", Words{"srun"}), "give a command such as 'srun -n {n}' in quotes");
    EXPECT_EQ(refusal("launcher", "  "), "give a command such as 'srun -n {n}'");
    EXPECT_EQ(refusal("launcher", "srun '"), "unmatched quote (') in: srun '");
    EXPECT_EQ(refusal("verify", "yes"), "give true or false");
    EXPECT_EQ(refusal("verify", std::int64_t{1}), "give true or false");
    EXPECT_EQ(refusal("operations", Words{}), "give at least one; 'fathom list ops' shows all");
    EXPECT_EQ(refusal("operations", true), "give at least one; 'fathom list ops' shows all");
    EXPECT_EQ(refusal("sizes", ""), "give sizes such as 8, 64k or 1:1M");
    EXPECT_EQ(refusal("sizes", 1.5), "give sizes such as 8, 64k or 1:1M");
    EXPECT_EQ(refusal("sizes", "8,x"), "'x' is not a size; give bytes such as 8, 64k or 1M");
}

TEST(Settings, TakeProcessCountsAsAList) {
    Plan plan;
    setting("procs").set(plan, "2,4,8:32");
    EXPECT_EQ(plan.procs, (Words{"2", "4", "8:32"}));
    setting("procs").set(plan, std::int64_t{12});
    EXPECT_EQ(plan.procs, Words{"12"});
    setting("procs").set(plan, "2:64:auto");
    EXPECT_EQ(plan.procs, Words{"2:64:auto"});
    EXPECT_EQ(refusal("procs", std::int64_t{1}), "nothing was refused");
    EXPECT_EQ(refusal("procs", std::int64_t{10'000'000}), "nothing was refused");
    for (const auto& junk :
         {SettingValue(std::int64_t{0}), SettingValue(std::int64_t{10'000'001}), SettingValue("many"),
          SettingValue("12x"), SettingValue("99999999999999999999"), SettingValue(Words{"2", "two"})}) {
        EXPECT_EQ(refusal("procs", junk), "give a number from 1 to 10000000, or several as 2,4,8 or 2:64")
            << quoted(junk);
    }
    for (const auto& junk :
         {SettingValue(""), SettingValue(1.5), SettingValue(true), SettingValue(Words{})}) {
        EXPECT_EQ(refusal("procs", junk), "give a number of processes, or several as 2,4,8 or 2:64")
            << quoted(junk);
    }
}

TEST(Settings, NameTheChoicesWhereThereAreFew) {
    EXPECT_EQ(refusal("root", "wandering"), "give one of fixed, rotating");
    EXPECT_EQ(refusal("cache", "hot"), "give one of warm, cold");
    EXPECT_EQ(refusal("order", ""), "give one of random, planned");
    EXPECT_EQ(refusal("mpi", "opnmpi"),
              "no MPI flavour 'opnmpi'. Did you mean 'openmpi'? (there are mpi, openmpi, mpich and smpi.)");
    EXPECT_EQ(refusal("over_ranks", "all"), "give one of auto, max, span, root, mean, median, min, each");
    for (const auto choice : names_of<OverRanks>) {
        EXPECT_EQ(refusal("over_ranks", std::string(choice)), "nothing was refused") << choice;
    }
}

TEST(Settings, OfTagsAreKeysWithValues) {
    EXPECT_EQ(refusal("tags", Words{"a=1", "b.c-d_2=x, y = z", "empty="}), "nothing was refused");
    EXPECT_EQ(refusal("tags", "a=1"), "nothing was refused");
    const std::string form =
        "give KEY=VALUE such as switch=new, the key of letters, digits, '.', '_' and '-'";
    for (const auto* tag : {"", "a", "=1", "a b=1", "a=1\nb"}) {
        EXPECT_EQ(refusal("tags", tag), form) << tag;
    }
    EXPECT_EQ(refusal("tags", Words{"a=1", "a=2"}), "give the key 'a' once");
    EXPECT_EQ(refusal("tags", std::int64_t{1}), "give KEY=VALUE in quotes");
}

TEST(Settings, OfOperationsTakeTheirChoicesAndNoOther) {
    struct Choices {
        const char* key;
        Words names;
        std::string mend;
    };
    const auto rows = std::to_array<Choices>({
        {"size_as", {"each", "total"}, "give one of each, total"},
        {"distribution",
         {"equal", "linear", "one-heavy", "random"},
         "give one of equal, linear, one-heavy, random"},
        {"type", {"auto", "int", "float", "double"}, "give one of auto, int, float, double"},
        {"reduce_op",
         {"sum", "user", "user-ordered", "max", "min", "band", "bor", "bxor", "empty"},
         "give one of sum, user, user-ordered, max, min, band, bor, bxor, empty"},
        {"window_memory", {"allocate", "create", "shared"}, "give one of allocate, create, shared"},
        {"target", {"waiting", "working"}, "give one of waiting, working"},
    });
    for (const auto& [key, names, mend] : rows) {
        for (const auto& name : names) {
            EXPECT_EQ(refusal(key, name), "nothing was refused") << key << " " << name;
        }
        for (const auto& junk :
             {SettingValue(""), SettingValue("long"), SettingValue("Each"), SettingValue(std::int64_t{1}),
              SettingValue(true), SettingValue(Words{names})}) {
            EXPECT_EQ(refusal(key, junk), mend) << key << " " << quoted(junk);
        }
    }
}

TEST(Settings, TakeAPairOfProcessesByNameOrByNumber) {
    for (const auto* pair : {"first-last", "max-latency", "0-1", "5-2"}) {
        EXPECT_EQ(refusal("pair", pair), "nothing was refused") << pair;
    }
    for (const auto* junk : {"", "last-first", "3", "3-3", "0-", "a-b", "0-1-2"}) {
        EXPECT_EQ(refusal("pair", junk),
                  "give first-last, max-latency, or two different processes such as 0-5")
            << junk;
    }
    EXPECT_EQ(refusal("pair", std::int64_t{1}), "give a pair such as 0-1 in quotes");
}

TEST(Settings, TakePairsThatHoldEveryProcessOnce) {
    Plan plan;
    setting("pairs").set(plan, "0-2,3-1");
    EXPECT_EQ(plan.operation.pairs, (Words{"0-2", "3-1"}));
    EXPECT_EQ(refusal("pairs", ""), "give pairs of processes such as 0-2,1-3");
    EXPECT_EQ(refusal("pairs", "0-2,x"), "give two different processes such as 0-5");
    EXPECT_EQ(refusal("pairs", "0-1,1-2"), "process 1 is already in pair 1; list each once");
    EXPECT_EQ(refusal("pairs", "0-4,1-2"), "process 4 is too high: 2 pairs use processes 0 to 3, each once");
}

TEST(Settings, TakeAnImbalanceOfNothingToo) {
    for (const auto& none :
         {SettingValue("0"), SettingValue("0%"), SettingValue(std::int64_t{0}), SettingValue(0.0)}) {
        Plan plan;
        plan.operation.imbalance_percent = 5;
        setting("imbalance_percent").set(plan, none);
        EXPECT_EQ(plan.operation.imbalance_percent, 0) << quoted(none);
    }
    Plan plan;
    setting("imbalance_percent").set(plan, "12.5%");
    EXPECT_EQ(plan.operation.imbalance_percent, 12.5);
    for (const auto& junk : {SettingValue("-1"), SettingValue(-0.5), SettingValue("1001"), SettingValue(""),
                             SettingValue("much"), SettingValue(true)}) {
        EXPECT_EQ(refusal("imbalance_percent", junk), "give a percentage from 0 to 1000") << quoted(junk);
    }
}

TEST(Settings, TakeWhatRepetitionsComeToByName) {
    for (const auto* name : {"median", "mean", "min", "max", "skampi-middle", "p0", "p50", "p99.9", "p100"}) {
        EXPECT_EQ(refusal("over_reps", name), "nothing was refused") << name;
    }
    for (const auto* name : {"", "average", "p", "p-1", "p100.1", "99", "p1e1"}) {
        EXPECT_EQ(refusal("over_reps", name),
                  "give median, mean, min, max, skampi-middle or a quantile such as p99")
            << name;
    }
    EXPECT_EQ(refusal("over_reps", std::int64_t{99}), "give a name such as median in quotes");
}

TEST(Settings, LeaveThePlanAsItWasWhenTheyRefuse) {
    Plan plan;
    setting("operations").set(plan, "bcast");
    setting("sizes").set(plan, "8");
    EXPECT_THROW(setting("operations").set(plan, "barrier,nonsense"), BadInput);
    EXPECT_THROW(setting("sizes").set(plan, "16,nonsense"), BadInput);
    EXPECT_EQ(plan.operations, Words{"bcast"});
    EXPECT_EQ(plan.sizes, Words{"8"});
}

TEST(Quoted, ShowsAValueAsItWasWritten) {
    EXPECT_EQ(quoted("a b"), "\"a b\"");
    EXPECT_EQ(quoted(std::int64_t{-5}), "-5");
    EXPECT_EQ(quoted(1.5), "1.5");
    EXPECT_EQ(quoted(true), "true");
    EXPECT_EQ(quoted(Words{"8", "64k"}), "[8, 64k]");
}

}  // namespace
}  // namespace fathom::plan

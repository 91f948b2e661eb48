#include "journal/checks.hpp"

#include <cmath>

#include <climits>
#include <fmt/format.h>

#include "journal/limits.hpp"

namespace fathom::journal {
namespace {

/// Looks at one field after the other and remembers the first that is wrong.
class FieldChecks {
  public:
    void within(std::string_view field, std::int64_t value, std::int64_t least, std::int64_t most) {
        if (wrong_.empty() && (value < least || value > most)) {
            wrong_ = fmt::format("{} is {}, not from {} to {}", field, value, least, most);
        }
    }
    void rank(std::string_view field, int value) { within(field, value, 0, most_ranks - 1); }
    void position(std::string_view field, int value) { within(field, value, 0, most_points); }
    void time(std::string_view field, std::int64_t value) { within(field, value, -latest_ns, latest_ns); }
    /// Of either sign: the difference of two readings of a coarse clock may be negative.
    void duration(std::string_view field, std::int64_t value) {
        within(field, value, -longest_ns, longest_ns);
    }
    void text(std::string_view field, const std::string& value, std::size_t most = longest_text) {
        if (wrong_.empty() && value.size() > most) {
            wrong_ = fmt::format("{} has {} bytes, more than {}", field, value.size(), most);
        }
    }
    void facts(const std::map<std::string, std::string>& facts) {
        for (const auto& [key, value] : facts) {
            text("a fact", key);
            text("a fact", value);
        }
    }
    void number(std::string_view field, double value) {
        if (wrong_.empty() && !(std::abs(value) <= static_cast<double>(latest_ns))) {
            wrong_ = fmt::format("{} is {}", field, value);
        }
    }

    [[nodiscard]] const std::string& wrong() const { return wrong_; }

  private:
    std::string wrong_;
};

void look(FieldChecks& checks, const JobInfo& info) {
    checks.within("procs", info.procs, 1, most_ranks);
    for (const auto* text :
         {&info.mpi_flavour, &info.mpi_version, &info.mpi_standard, &info.time_source, &info.plan_toml}) {
        checks.text("a text", *text);
    }
    checks.facts(info.facts);
    checks.time("clock_ns", info.clock_ns);
    checks.time("utc_ns", info.utc_ns);
}
void look(FieldChecks& checks, const RankInfo& info) {
    constexpr int most_places = 1 << 20;
    checks.rank("rank", info.rank);
    checks.text("host", info.host);
    checks.within("pid", info.pid, 0, INT64_MAX);
    checks.text("binding", info.binding);
    checks.within("empty_ns", info.empty_ns, -longest_empty_ns, longest_empty_ns);
    checks.within("socket", info.socket, -1, most_places);
    checks.within("numa_node", info.numa_node, -1, most_places);
}
void look(FieldChecks& checks, const HostInfo& info) {
    checks.text("host", info.host);
    checks.facts(info.facts);
}
void look(FieldChecks& checks, const PointBegin& begin) {
    checks.position("index", begin.index);
}
void look(FieldChecks& checks, const PointPause& pause) {
    checks.position("index", pause.index);
}
void look(FieldChecks& checks, const SampleBlock& block) {
    checks.position("point", block.point);
    checks.rank("rank", block.rank);
    checks.within("first_rep", block.first_rep, 0, most_calls);
    checks.within("count", block.count, 0, most_in_block);
}
void look(FieldChecks& checks, const PointEnd& end) {
    checks.position("index", end.index);
    for (const auto* text : {&end.reason, &end.datatype, &end.start, &end.cache, &end.pairs, &end.remark}) {
        checks.text("a text", *text);
    }
    checks.within("warmup_calls", end.warmup_calls, 0, most_calls);
    checks.within("calls", end.calls, 1, most_calls);
    checks.within("samples", end.samples, 0, most_calls);
}
void look(FieldChecks& checks, const JobEnd& end) {
    checks.text("reason", end.reason);
    checks.within("rank_0_peak_bytes", end.rank_0_peak_bytes, 0, largest_size);
    checks.within("other_peak_bytes", end.other_peak_bytes, 0, largest_size);
}
void look(FieldChecks& checks, const ClockSync& sync) {
    checks.within("sync", sync.sync, 0, most_syncs);
    checks.rank("rank", sync.rank);
    checks.time("at_ns", sync.at_ns);
    checks.time("offset_ns", sync.offset_ns);
    checks.time("low_ns", sync.low_ns);
    checks.time("high_ns", sync.high_ns);
    checks.duration("round_trip_ns", sync.round_trip_ns);
    checks.within("pings", sync.pings, 0, most_pings);
    checks.duration("cost_ns", sync.cost_ns);
    checks.text("scheme", sync.scheme);
}
void look(FieldChecks& checks, const ClockPings& pings) {
    checks.within("round", pings.round, 0, INT_MAX);
    checks.rank("asking", pings.asking);
    checks.rank("answering", pings.answering);
    checks.time("at_ns", pings.at_ns);
    checks.time("offset_ns", pings.offset_ns);
    checks.time("low_ns", pings.low_ns);
    checks.time("high_ns", pings.high_ns);
    for (const auto round_trip : pings.round_trips_ns) {
        checks.duration("a round trip", round_trip);
    }
}
void look(FieldChecks& checks, const ClockEvent& event) {
    checks.time("after_ns", event.after_ns);
    checks.within("event", event.event, 0, INT_MAX);
    checks.rank("rank", event.rank);
    checks.time("planned_ns", event.planned_ns);
    checks.time("acted_ns", event.acted_ns);
    checks.time("global_ns", event.global_ns);
    checks.duration("claimed_ns", event.claimed_ns);
    checks.within("sync", event.sync, 0, most_syncs);
}
void look(FieldChecks& checks, const PointAdded& added) {
    checks.position("index", added.point.index);
    checks.text("purpose", added.point.purpose);
    plan::visit_dimensions(added.point.key, [&]<typename Value>(std::string_view name, const Value& value) {
        if constexpr (std::is_same_v<Value, Bytes>) {
            checks.within(name, value.count, 0, largest_size);
        } else if constexpr (std::is_same_v<Value, int>) {
            checks.within(name, value, 1, most_ranks);
        } else {
            checks.text(name, value, plan::longest_dimension);
        }
    });
}
void look(FieldChecks& checks, const Disturbance& stretch) {
    checks.position("point", stretch.point);
    checks.rank("rank", stretch.rank);
    checks.time("begin_ns", stretch.begin_ns);
    checks.time("end_ns", stretch.end_ns);
    checks.duration("waited_ns", stretch.waited_ns);
}
void look(FieldChecks& checks, const RankTally& tally) {
    checks.position("point", tally.point);
    checks.rank("rank", tally.rank);
    for (const auto& [name, value] : tally.counts) {
        checks.text("a name", name);
        checks.number("a count", value);
    }
}
void look(FieldChecks& checks, const StudyStep& step) {
    checks.position("point", step.point);
    checks.within("step", step.step, 0, INT_MAX);
    checks.duration("work_ns", step.work_ns);
    checks.within("tests", step.tests, 0, most_tests);
    checks.within("interval_bytes", step.interval_bytes, 0, largest_size);
}
void look(FieldChecks& checks, const StudyBlock& block) {
    checks.position("point", block.point);
    checks.rank("rank", block.rank);
    checks.within("count", block.count, 0, most_in_block);
}
void look(FieldChecks& checks, const EvidenceBlock& block) {
    checks.position("point", block.point);
    checks.rank("rank", block.rank);
    checks.within("block", block.block, 0, INT_MAX);
    checks.within("count", block.count, 0, most_in_block);
    checks.within("readings", block.readings, 0, most_counted);
    checks.duration("spent_ns", block.spent_ns);
    checks.duration("measured_ns", block.measured_ns);
    checks.duration("rto_ns", block.rto_ns);
    checks.duration("rto_min_ns", block.rto_min_ns);
}
void look(FieldChecks& checks, const EventBlock& block) {
    checks.position("point", block.point);
    checks.rank("rank", block.rank);
    checks.within("block", block.block, 0, INT_MAX);
    checks.within("every", block.every, 1, INT_MAX);
    checks.within("first_call", block.first_call, 0, most_calls);
    checks.within("count", block.count, 0, most_in_block);
    checks.within("dropped", block.dropped, 0, most_calls);
}

}  // namespace

std::string wrong_with(const Record& record) {
    FieldChecks checks;
    std::visit([&](const auto& content) { look(checks, content); }, record);
    return checks.wrong();
}

}  // namespace fathom::journal

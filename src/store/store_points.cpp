// The points of a run and what was measured of each.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "plan/pairing.hpp"
#include "store/point_key_columns.hpp"
#include "store/row.hpp"
#include "store/store.hpp"

namespace fathom::store {
void Store::insert_points(std::int64_t run, int launch, std::span<const plan::PointSpec> points,
                          std::string_view on_conflict) {
    const auto columns = key_columns<plan::PointKey>();
    std::string parameters;
    for (int at = 5; at < 6 + std::count(columns.begin(), columns.end(), ','); ++at) {
        parameters += fmt::format(", ?{}", at);
    }
    auto insert = database_->prepare(
        fmt::format("INSERT INTO point (run, position, trial, purpose, status, {}) VALUES (?1, ?2, ?3, ?4, "
                    "'pending'{}) {}",
                    columns, parameters, on_conflict));
    for (const auto& point : points) {
        insert.bind(run, point.index, launch, point.purpose);
        bind_key(insert, 5, point.key);
        insert.run();
    }
}

void Store::add_points(std::int64_t run, int launch, std::span<const plan::PointSpec> points) {
    auto writing = transaction();
    insert_points(run, launch, points, "ON CONFLICT (run, position) DO NOTHING");
    writing.commit();
}

void Store::put_point(std::int64_t run, std::int64_t job, const journal::PointEnd& end,
                      const std::function<std::optional<journal::SampleBlock>()>& next,
                      const PointExtras& extras) {
    auto writing = transaction();
    auto query = database_->prepare("SELECT id FROM point WHERE run = ?1 AND position = ?2");
    query.bind(run, end.index);
    if (!query.step()) {
        throw BadInput(
            fmt::format("the journal refers to point {}, which run {} does not have.", end.index, run));
    }
    const auto point = query.integer(0);
    database_
        ->prepare(
            "UPDATE point SET status = ?2, reason = ?3, datatype = ?4, job = ?5, start = ?6, warmup_calls = "
            "?7, remark = ?8, calls = ?9, cache = ?10, pairs = ?11 WHERE id = ?1")
        .bind(point, end.status, end.reason, end.datatype, job, end.start, end.warmup_calls, end.remark,
              end.calls, end.cache, end.pairs)
        .run();
    database_->prepare("DELETE FROM sample_block WHERE point = ?1").bind(point).run();
    auto insert = database_->prepare(
        "INSERT INTO sample_block (point, rank, first_rep, count, data) VALUES (?1, ?2, ?3, ?4, ?5)");
    std::int64_t samples = 0;
    while (const auto block = next()) {
        samples += block->count;
        insert.bind(point, block->rank, block->first_rep, block->count).bind_blob(5, block->data).run();
    }
    database_->prepare("DELETE FROM disturbance WHERE point = ?1").bind(point).run();
    auto disturb = database_->prepare(
        "INSERT OR REPLACE INTO disturbance (point, rank, begin_ns, end_ns, waited_ns) VALUES (?1, ?2, ?3, "
        "?4, ?5)");
    for (const auto& stretch : extras.disturbances) {
        disturb.bind(point, stretch.rank, stretch.begin_ns, stretch.end_ns, stretch.waited_ns).run();
    }
    database_->prepare("DELETE FROM tally WHERE point = ?1").bind(point).run();
    auto count = database_->prepare("INSERT INTO tally (point, rank, name, value) VALUES (?1, ?2, ?3, ?4)");
    for (const auto& tally : extras.tallies) {
        for (const auto& [name, value] : tally.counts) {
            count.bind(point, tally.rank, name, value).run();
        }
    }
    database_->prepare("DELETE FROM study_step WHERE point = ?1").bind(point).run();
    auto step_row = database_->prepare(
        "INSERT INTO study_step (point, step, scheme, work_ns, tests, interval_bytes) VALUES (?1, ?2, ?3, "
        "?4, ?5, ?6)");
    for (const auto& step : extras.steps) {
        step_row.bind(point, step.step, to_text(step.scheme), step.work_ns, step.tests, step.interval_bytes)
            .run();
    }
    database_->prepare("DELETE FROM study_block WHERE point = ?1").bind(point).run();
    auto block_row =
        database_->prepare("INSERT INTO study_block (point, rank, count, data) VALUES (?1, ?2, ?3, ?4)");
    for (const auto& block : extras.blocks) {
        samples += block.count;
        block_row.bind(point, block.rank, block.count).bind_blob(4, block.data).run();
    }
    insert_evidence(point, extras.evidence);
    samples += insert_events(point, extras.next_events);
    if (samples != end.samples) {
        throw PointNotWhole(fmt::format(
            "the journal of run {} was damaged: it announces {} samples of point {} and holds {}, "
            "so the point is not stored.",
            run, end.samples, end.index, samples));
    }
    writing.commit();
}

void Store::insert_evidence(std::int64_t point, std::span<const journal::EvidenceBlock> blocks) {
    database_->prepare("DELETE FROM evidence_block WHERE point = ?1").bind(point).run();
    auto row = database_->prepare(
        "INSERT INTO evidence_block (point, rank, block, count, readings, spent_ns, measured_ns, network, "
        "rto_ns, rto_min_ns, data) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)");
    for (const auto& block : blocks) {
        row.bind(point, block.rank, block.block, block.count, block.readings, block.spent_ns,
                 block.measured_ns, block.network, block.rto_ns, block.rto_min_ns)
            .bind_blob(11, block.data)
            .run();
    }
}

std::int64_t Store::insert_events(std::int64_t point,
                                  const std::function<std::optional<journal::EventBlock>()>& next) {
    database_->prepare("DELETE FROM event_block WHERE point = ?1").bind(point).run();
    auto row = database_->prepare(
        "INSERT INTO event_block (point, rank, block, every, first_call, count, dropped, data) VALUES (?1, "
        "?2, ?3, ?4, ?5, ?6, ?7, ?8)");
    std::int64_t events = 0;
    while (const auto block = next ? next() : std::nullopt) {
        events += block->count;
        row.bind(point, block->rank, block->block, block->every, block->first_call, block->count,
                 block->dropped)
            .bind_blob(8, block->data)
            .run();
    }
    return events;
}

void Store::mark_point(std::int64_t run, int position, PointStatus status, const std::string& reason,
                       bool died) {
    auto writing = transaction();
    database_
        ->prepare(
            "UPDATE point SET status = ?3, reason = ?4, deaths = deaths + ?5 WHERE run = ?1 AND position = "
            "?2")
        .bind(run, position, status, reason, died)
        .run();
    writing.commit();
}

namespace {

std::string point_query(std::string_view rest) {
    return fmt::format(
        "SELECT id, position, status, reason, datatype, deaths, job, start, warmup_calls, remark, trial, "
        "purpose, calls, cache, pairs, {} FROM point WHERE run = ?1 {}",
        key_columns<plan::PointKey>(), rest);
}

PointRow point_from(const Statement& query) {
    Row row(query, "point");
    PointRow point;
    point.id = row.id();
    point.position = row.number(0, journal::most_points);
    point.status = row.named<PointStatus>();
    point.reason = row.text();
    point.datatype = row.text();
    point.deaths = row.number(0, journal::most_launches);
    point.job = row.optional_integer(1, INT64_MAX);
    point.start = row.text();
    point.warmup_calls = row.integer(0, journal::most_calls);
    point.remark = row.text();
    point.launch = row.number(0, journal::most_launches);
    point.purpose = row.text();
    point.calls = row.integer(1, journal::most_calls);
    point.cache = row.text();
    point.pairs = row.text();
    const int pairs_column = row.columns_read() - 1;
    point.key = key_from<plan::PointKey>(row);
    for (const auto& pair : split(point.pairs, ',')) {
        try {
            plan::parse_pair(pair);
        } catch (const BadInput&) {
            row.refuse(pairs_column, "'" + pair.substr(0, 40) + "'", "two ranks such as 0-2");
        }
    }
    point.damage = row.damage();
    return point;
}

}  // namespace

std::vector<PointRow> Store::points(std::int64_t run) const {
    std::vector<PointRow> found;
    auto query = database_->prepare(point_query("ORDER BY position"));
    query.bind(run);
    while (query.step()) {
        found.push_back(point_from(query));
    }
    return found;
}

PointRow Store::point(std::int64_t run, int position) const {
    auto query = database_->prepare(point_query("AND position = ?2"));
    query.bind(run, position);
    if (!query.step()) {
        throw BadInput(fmt::format("run {} has no point {}.", run, position));
    }
    return point_from(query);
}

int Store::ranks_of(std::int64_t point) const {
    auto query = database_->prepare(
        "SELECT point.id, max(run.procs, point.procs) FROM point JOIN run ON run.id = point.run WHERE "
        "point.id = ?1");
    query.bind(point);
    if (!query.step()) {
        return journal::most_ranks;  // and nothing that names one
    }
    Row row(query, "point");
    row.id();
    const int ranks = row.number(1, journal::most_ranks);
    row.require();
    return ranks;
}

std::vector<journal::Disturbance> Store::disturbances(std::int64_t point) const {
    std::vector<journal::Disturbance> found;
    auto query = database_->prepare(
        "SELECT point, rank, begin_ns, end_ns, waited_ns FROM disturbance WHERE point = ?1 ORDER BY rank, "
        "begin_ns");
    query.bind(point);
    const int ranks = ranks_of(point);
    while (query.step()) {
        Row row(query, "disturbance", 3);
        row.id();
        journal::Disturbance stretch;
        stretch.rank = row.rank(ranks);
        stretch.begin_ns = row.time();
        stretch.end_ns = row.time();
        stretch.waited_ns = row.duration();
        row.require();
        found.push_back(stretch);
    }
    return found;
}

std::map<int, std::map<std::string, double>> Store::tallies(std::int64_t point) const {
    std::map<int, std::map<std::string, double>> found;
    auto query = database_->prepare("SELECT point, rank, name, value FROM tally WHERE point = ?1");
    query.bind(point);
    const int ranks = ranks_of(point);
    while (query.step()) {
        Row row(query, "tally", 3);
        row.id();
        const int rank = row.rank(ranks);
        const auto name = row.text();
        const double value = row.real();
        row.require();
        found[rank][name] = value;
    }
    return found;
}

std::vector<journal::StudyStep> Store::study_steps(std::int64_t point) const {
    std::vector<journal::StudyStep> found;
    auto query = database_->prepare(
        "SELECT point, step, scheme, work_ns, tests, interval_bytes FROM study_step WHERE point = ?1 ORDER "
        "BY "
        "step");
    query.bind(point);
    while (query.step()) {
        Row row(query, "study_step", 2);
        row.id();
        journal::StudyStep step;
        step.step = row.number(0, INT32_MAX);
        step.scheme = row.named<journal::StepScheme>();
        step.work_ns = row.duration();
        step.tests = row.integer(0, journal::most_tests);
        step.interval_bytes = row.integer(0, journal::largest_size);
        row.require();
        found.push_back(step);
    }
    return found;
}

namespace {

/// What unpacking a block of a row says of it, as an error that names the row.
template <typename Unpack>
auto unpacked_from(const Row& row, Unpack unpack) {
    row.require();
    try {
        return unpack();
    } catch (const BadInput& error) {
        throw row.error(fmt::format("column data: {}", error.what()));
    }
}

bool is_time(Nanoseconds time) {
    return time.count >= -journal::latest_ns && time.count <= journal::latest_ns;
}

/// Differences of two readings may be negative where a clock is coarse.
bool is_duration(Nanoseconds time) {
    return time.count >= -journal::longest_ns && time.count <= journal::longest_ns;
}

bool is_sound(const journal::Sample& sample) {
    return is_time(sample.start) && is_duration(sample.duration);
}

/// A study has at least one repetition in each round.
bool is_sound(const journal::StudySample& sample, const std::set<int>& steps, std::int64_t count) {
    return steps.contains(sample.step) && sample.round < count && is_time(sample.start) &&
           is_duration(sample.whole) && is_duration(sample.post) && is_duration(sample.tests) &&
           is_duration(sample.wait) && sample.tests_made >= 0 && sample.tests_made <= journal::most_tests;
}

bool is_sound(const journal::CountedStretch& stretch) {
    const auto counts = stretch.counts.all();
    return is_time(stretch.begin) && is_time(stretch.end) &&
           std::all_of(counts.begin(), counts.end(), [](auto count) {
               return count >= -journal::most_counted && count <= journal::most_counted;
           });
}

bool is_sound(const journal::CallEvent& event) {
    const auto sound = [](std::int64_t time) {
        return time == journal::CallEvent::never || is_time(Nanoseconds{time});
    };
    return sound(event.down_ns) && sound(event.up_ns);
}

constexpr std::string_view beyond_limits = "column data: a value is beyond what can be measured";

}  // namespace

void Store::visit_study(
    std::int64_t point,
    const std::function<void(int, const std::vector<journal::StudySample>&)>& visit) const {
    auto query =
        database_->prepare("SELECT point, rank, count, data FROM study_block WHERE point = ?1 ORDER BY rank");
    query.bind(point);
    const int ranks = ranks_of(point);
    std::set<int> steps;
    for (const auto& step : study_steps(point)) {
        steps.insert(step.step);
    }
    while (query.step()) {
        Row row(query, "study_block", 2);
        row.id();
        const int rank = row.rank(ranks);
        const auto count = row.integer(0, journal::most_in_block);
        const auto data = row.blob();
        const auto samples = unpacked_from(row, [&] { return journal::unpack_study(data, count); });
        for (const auto& sample : samples) {
            if (!is_sound(sample, steps, count)) {
                throw row.error(beyond_limits);
            }
        }
        visit(rank, samples);
    }
}

void Store::visit_evidence(
    std::int64_t point,
    const std::function<void(const journal::EvidenceBlock&, const std::vector<journal::CountedStretch>&)>&
        visit) const {
    auto query = database_->prepare(
        "SELECT point, rank, block, count, readings, spent_ns, measured_ns, network, rto_ns, rto_min_ns, "
        "data "
        "FROM evidence_block WHERE point = ?1 ORDER BY rank, block");
    query.bind(point);
    const int ranks = ranks_of(point);
    while (query.step()) {
        Row row(query, "evidence_block", 3);
        row.id();
        journal::EvidenceBlock block;
        block.rank = row.rank(ranks);
        block.block = row.number(0, INT32_MAX);
        block.count = row.integer(0, journal::most_in_block);
        block.readings = row.integer(0, journal::most_counted);
        block.spent_ns = row.duration();
        block.measured_ns = row.duration();
        block.network = row.flag();
        block.rto_ns = row.duration();
        block.rto_min_ns = row.duration();
        block.data = row.blob();
        const auto stretches =
            unpacked_from(row, [&] { return journal::unpack_evidence(block.data, block.count); });
        for (const auto& stretch : stretches) {
            if (!is_sound(stretch)) {
                throw row.error(beyond_limits);
            }
        }
        visit(block, stretches);
    }
}

std::optional<TraceRow> Store::trace(std::int64_t point) const {
    auto query = database_->prepare(
        "SELECT point, rank, block, every, count, dropped, length(data) AS data FROM event_block WHERE point "
        "= "
        "?1");
    query.bind(point);
    std::optional<TraceRow> found;
    while (query.step()) {
        Row row(query, "event_block", 3);
        row.id();
        row.rank();
        row.number(0, INT32_MAX);
        const auto every = row.integer(1, INT32_MAX);
        const auto events = row.integer(0, journal::most_in_block);
        const auto dropped = row.integer(0, journal::most_calls);
        const auto bytes = row.integer(0, journal::largest_size);
        row.require();
        found = found.value_or(TraceRow{});
        found->every = every;
        found->events += events;
        found->dropped = std::min(journal::most_calls, found->dropped + dropped);
        found->stored_bytes += bytes;
    }
    return found;
}

void Store::visit_events(
    std::int64_t point, const std::function<void(int, const std::vector<journal::CallEvent>&)>& visit) const {
    auto query = database_->prepare(
        "SELECT point, rank, block, count, data FROM event_block WHERE point = ?1 ORDER BY rank, block");
    query.bind(point);
    const int ranks = ranks_of(point);
    while (query.step()) {
        Row row(query, "event_block", 3);
        row.id();
        const int rank = row.rank(ranks);
        row.number(0, INT32_MAX);
        const auto count = row.integer(0, journal::most_in_block);
        const auto data = row.blob();
        const auto events = unpacked_from(row, [&] { return journal::unpack_events(data, count); });
        if (!std::all_of(events.begin(), events.end(), [](const auto& event) { return is_sound(event); })) {
            throw row.error(beyond_limits);
        }
        visit(rank, events);
    }
}

void Store::visit_samples(
    std::int64_t point,
    const std::function<void(int, std::int64_t, const std::vector<journal::Sample>&)>& visit) const {
    auto query = database_->prepare(
        "SELECT point, rank, first_rep, count, data FROM sample_block WHERE point = ?1 ORDER BY rank, "
        "first_rep");
    query.bind(point);
    const int ranks = ranks_of(point);
    int last_rank = -1;
    std::int64_t next_rep = 0;
    while (query.step()) {
        Row row(query, "sample_block", 3);
        row.id();
        const int rank = row.rank(ranks);
        next_rep = rank == last_rank ? next_rep : 0;
        last_rank = rank;
        const auto first_rep = row.integer(next_rep, next_rep);
        const auto count = row.integer(0, journal::most_in_block);
        const auto data = row.blob();
        const auto samples = unpacked_from(row, [&] { return journal::unpack_samples(data, count); });
        if (!std::all_of(samples.begin(), samples.end(),
                         [](const auto& sample) { return is_sound(sample); })) {
            throw row.error(beyond_limits);
        }
        next_rep += count;
        visit(rank, first_rep, samples);
    }
}

}  // namespace fathom::store

// The points of a run and what was measured of each.
#include <algorithm>

#include <fmt/format.h>

#include "base/error.hpp"
#include "store/point_key_columns.hpp"
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
    Transaction transaction(*database_);
    insert_points(run, launch, points, "ON CONFLICT (run, position) DO NOTHING");
    transaction.commit();
}

void Store::put_point(std::int64_t run, std::int64_t job, const journal::PointEnd& end,
                      const std::function<std::optional<journal::SampleBlock>()>& next,
                      const PointExtras& extras) {
    Transaction transaction(*database_);
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
    if (samples != end.samples) {
        throw NotMeasured(
            fmt::format("the journal of run {0} was damaged: it announces {1} samples of point {2} and holds "
                        "{3}. The point is not stored; 'fathom run --resume {0}' measures it again.",
                        run, end.samples, end.index, samples));
    }
    transaction.commit();
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

void Store::mark_point(std::int64_t run, int position, PointStatus status, const std::string& reason,
                       bool died) {
    database_
        ->prepare(
            "UPDATE point SET status = ?3, reason = ?4, deaths = deaths + ?5 WHERE run = ?1 AND position = "
            "?2")
        .bind(run, position, status, reason, died)
        .run();
}

namespace {

std::string point_query(std::string_view rest) {
    return fmt::format(
        "SELECT id, position, status, reason, datatype, deaths, job, start, warmup_calls, remark, trial, "
        "purpose, calls, cache, pairs, {} FROM point WHERE run = ?1 {}",
        key_columns<plan::PointKey>(), rest);
}

PointRow point_from(const Statement& query) {
    int at = 0;
    PointRow point;
    point.id = query.integer(at++);
    point.position = static_cast<int>(query.integer(at++));
    point.status = query.named<PointStatus>(at++);
    point.reason = query.text(at++);
    point.datatype = query.text(at++);
    point.deaths = static_cast<int>(query.integer(at++));
    if (!query.is_null(at)) {
        point.job = query.integer(at);
    }
    ++at;
    point.start = query.text(at++);
    point.warmup_calls = query.integer(at++);
    point.remark = query.text(at++);
    point.launch = static_cast<int>(query.integer(at++));
    point.purpose = query.text(at++);
    point.calls = query.integer(at++);
    point.cache = query.text(at++);
    point.pairs = query.text(at++);
    point.key = key_from<plan::PointKey>(query, at);
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

std::vector<journal::Disturbance> Store::disturbances(std::int64_t point) const {
    std::vector<journal::Disturbance> found;
    auto query = database_->prepare(
        "SELECT rank, begin_ns, end_ns, waited_ns FROM disturbance WHERE point = ?1 ORDER BY rank, begin_ns");
    query.bind(point);
    while (query.step()) {
        found.push_back({.point = 0,
                         .rank = static_cast<int>(query.integer(0)),
                         .begin_ns = query.integer(1),
                         .end_ns = query.integer(2),
                         .waited_ns = query.integer(3)});
    }
    return found;
}

std::map<int, std::map<std::string, double>> Store::tallies(std::int64_t point) const {
    std::map<int, std::map<std::string, double>> found;
    auto query = database_->prepare("SELECT rank, name, value FROM tally WHERE point = ?1");
    query.bind(point);
    while (query.step()) {
        found[static_cast<int>(query.integer(0))][query.text(1)] = query.real(2);
    }
    return found;
}

std::vector<journal::StudyStep> Store::study_steps(std::int64_t point) const {
    std::vector<journal::StudyStep> found;
    auto query = database_->prepare(
        "SELECT step, scheme, work_ns, tests, interval_bytes FROM study_step WHERE point = ?1 ORDER BY step");
    query.bind(point);
    while (query.step()) {
        const auto scheme = from_text<journal::StepScheme>(query.text(1));
        if (!scheme) {
            throw BadInput(
                fmt::format("the result file has a step of overlap '{}', which this version does "
                            "not know.",
                            query.text(1)));
        }
        found.push_back({.point = 0,
                         .step = static_cast<int>(query.integer(0)),
                         .scheme = *scheme,
                         .work_ns = query.integer(2),
                         .tests = query.integer(3),
                         .interval_bytes = query.integer(4)});
    }
    return found;
}

void Store::visit_study(
    std::int64_t point,
    const std::function<void(int, const std::vector<journal::StudySample>&)>& visit) const {
    auto query =
        database_->prepare("SELECT rank, count, data FROM study_block WHERE point = ?1 ORDER BY rank");
    query.bind(point);
    while (query.step()) {
        visit(static_cast<int>(query.integer(0)), journal::unpack_study(query.blob(2), query.integer(1)));
    }
}

void Store::visit_evidence(std::int64_t point,
                           const std::function<void(const journal::EvidenceBlock&)>& visit) const {
    auto query = database_->prepare(
        "SELECT rank, block, count, readings, spent_ns, measured_ns, network, rto_ns, rto_min_ns, data FROM "
        "evidence_block WHERE point = ?1 ORDER BY rank, block");
    query.bind(point);
    while (query.step()) {
        visit({.point = 0,
               .rank = static_cast<int>(query.integer(0)),
               .block = static_cast<int>(query.integer(1)),
               .count = query.integer(2),
               .readings = query.integer(3),
               .spent_ns = query.integer(4),
               .measured_ns = query.integer(5),
               .network = query.integer(6) != 0,
               .rto_ns = query.integer(7),
               .rto_min_ns = query.integer(8),
               .data = std::string(query.blob(9))});
    }
}

void Store::visit_samples(
    std::int64_t point,
    const std::function<void(int, std::int64_t, const std::vector<journal::Sample>&)>& visit) const {
    auto query = database_->prepare(
        "SELECT rank, first_rep, count, data FROM sample_block WHERE point = ?1 ORDER BY rank, first_rep");
    query.bind(point);
    while (query.step()) {
        visit(static_cast<int>(query.integer(0)), query.integer(1),
              journal::unpack_samples(query.blob(3), query.integer(2)));
    }
}

}  // namespace fathom::store

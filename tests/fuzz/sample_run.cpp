#include "fuzz/sample_run.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "fuzz/fuzzing.hpp"
#include "journal/events.hpp"
#include "journal/evidence.hpp"
#include "launch/runs.hpp"
#include "launch/sample_journal.hpp"
#include "store/sample_clock.hpp"
#include "store/sample_study.hpp"

namespace fathom::fuzzing {
namespace {

constexpr const char* journal_plan =
    "operations = [\"bcast\", \"overlap.isend\"]\nprocs = 2\nsizes = [\"8\", \"64k\"]\norder = \"planned\"\n";

journal::EvidenceBlock evidence(int point, int rank) {
    const std::vector<journal::CountedStretch> stretches{
        {.begin = {500}, .end = {4'000}, .counts = {.preempted = 2, .migrations = 1, .waited_ns = 300}},
        {.begin = {4'000}, .end = {9'000}, .counts = {.tcp_timeouts = 1, .tcp_retransmits = 3}}};
    return {.point = point,
            .rank = rank,
            .block = 0,
            .count = 2,
            .readings = 20,
            .spent_ns = 4'000,
            .measured_ns = 100'000,
            .network = rank == 0,
            .rto_ns = 204'000'000,
            .rto_min_ns = 200'000'000,
            .data = journal::pack_evidence(stretches)};
}

journal::EventBlock events(int point, int rank) {
    const std::vector<journal::CallEvent> some{{.call = 0, .collector = 0, .down_ns = 1'000, .up_ns = 1'900},
                                               {.call = 0, .collector = 1, .down_ns = 1'200, .up_ns = 1'700},
                                               {.call = 1, .collector = 0, .down_ns = 3'000},
                                               {.call = 1, .collector = 4, .up_ns = 3'500}};
    return {.point = point,
            .rank = rank,
            .block = 0,
            .every = 1,
            .first_call = 0,
            .count = 4,
            .dropped = rank,
            .data = journal::pack_events(some)};
}

/// The steps and repetitions of a study, its ordinary samples being there already.
std::vector<journal::Record> study_records(int point) {
    constexpr int steps = 8;
    constexpr int rounds = 3;
    constexpr std::int64_t base_ns = 10'000;
    std::vector<journal::Record> records;
    std::array<std::vector<journal::StudySample>, 2> samples;
    std::int64_t start = 0;
    for (int step = 0; step <= steps; ++step) {
        const bool alone = step == steps;
        const std::int64_t work = base_ns * (alone ? step - 1 : step) / 4;
        records.emplace_back(
            journal::StudyStep{.point = point,
                               .step = step,
                               .scheme = alone ? journal::StepScheme::alone : journal::StepScheme::work,
                               .work_ns = work});
        for (int round = 0; round < rounds; ++round) {
            for (auto& of_rank : samples) {
                journal::StudySample sample;
                sample.step = step;
                sample.round = round;
                sample.start = {start += 100'000};
                sample.whole = {alone ? work : std::max(base_ns, work + 1'000)};
                of_rank.push_back(sample);
            }
        }
    }
    for (int rank = 0; rank < 2; ++rank) {
        const auto& of_rank = samples.at(static_cast<std::size_t>(rank));
        records.emplace_back(journal::StudyBlock{point, rank, static_cast<std::int64_t>(of_rank.size()),
                                                 journal::pack_study(of_rank)});
        records.emplace_back(journal::RankTally{
            point, rank, {{"resolution_ns", 1}, {"work_unit_before_ns", 2}, {"work_unit_after_ns", 2}}});
    }
    return records;
}

/// Adds records to a measured point before its end, which announces their samples too.
void add_to_point(std::vector<journal::Record>& point, const std::vector<journal::Record>& more) {
    auto end = std::get<journal::PointEnd>(point.back());
    point.pop_back();
    for (const auto& record : more) {
        if (const auto* block = std::get_if<journal::StudyBlock>(&record)) {
            end.samples += block->count;
        }
        if (const auto* block = std::get_if<journal::EventBlock>(&record)) {
            end.samples += block->count;
        }
        point.push_back(record);
    }
    point.emplace_back(std::move(end));
}

/// A launch of other operations, one of them with a matrix, by the functions of the store.
void put_run(testing::SampleStore& sample) {
    constexpr int procs = 4;
    auto& store = sample.store;
    journal::JobInfo info;
    info.procs = procs;
    info.mpi_flavour = "openmpi";
    info.mpi_version = "Open MPI v4.1.4";
    info.facts = {{"build_type", "Release"}, {journal::progress_thread_fact, "created"}};
    info.clock_ns = 1'000;
    info.utc_ns = 1'700'000'000'000'000'000;
    store.put(sample.job, info);
    std::vector<journal::ClockSync> syncs;
    std::vector<journal::ClockEvent> events;
    std::vector<journal::SampleBlock> blocks;
    std::vector<journal::EvidenceBlock> counted;
    for (int rank = 0; rank < procs; ++rank) {
        store.put(sample.job,
                  journal::RankInfo{rank, fmt::format("h{}", rank / 2), 100 + rank, "0-3", 20, 0, 0});
        for (const int sync : {0, 1}) {
            syncs.push_back(testing::sync_of(sync, rank, 1'000'000 * sync, 50 * rank, rank == 0 ? 0 : 40));
        }
        events.push_back({.after_ns = 1'000,
                          .event = 0,
                          .rank = rank,
                          .planned_ns = 500'000,
                          .acted_ns = 500'010,
                          .global_ns = 500'005,
                          .claimed_ns = 40,
                          .sync = 0});
        blocks.push_back(testing::block_of(
            rank, 0, testing::samples_of({100, 110, 120, 105, 900, 108, 101, 102, 104, 103, 111, 109})));
        blocks.push_back(testing::block_of(rank, 12, testing::samples_of({100, 99, 130, 120, 110, 105})));
        counted.push_back(evidence(0, rank));
    }
    store.put(sample.job, syncs);
    store.put(sample.job, events);
    store.put(sample.job, journal::HostInfo{"h0", {{"cores", "4"}, {"governor", "powersave"}}});
    store.put_warning(sample.run, {.severity = store::Severity::serious,
                                   .code = "governor",
                                   .text = "the frequency changes",
                                   .remedy = "set it",
                                   .hosts = {"h0"}});
    const std::vector<journal::Disturbance> disturbances{
        {.point = 0, .rank = 1, .begin_ns = 3'000, .end_ns = 6'000, .waited_ns = 800}};
    const std::vector<journal::RankTally> tallies{{0, 0, {{journal::finish_barrier_tally, 30}}}};
    for (const int position : {0, 1, 2}) {
        store.put_point(sample.run, sample.job,
                        {.index = position,
                         .status = journal::PointStatus::ok,
                         .datatype = "float",
                         .start = "window",
                         .warmup_calls = 5,
                         .cache = "warm",
                         .pairs = position == 0 ? "" : "0-2,1-3",
                         .samples = testing::count_in(blocks)},
                        testing::source_of(blocks),
                        {.disturbances = disturbances, .tallies = tallies, .evidence = counted});
    }
    testing::SampleMessage{.tests = 4, .rounds = 3, .last_tenth = 8}.study().put(sample, 3);
    store.end_job(sample.job, "");
    store.set_run_status(sample.run, store::RunStatus::done);
}

/// A compact copy, whatever mode the file is in.
std::string copy_of(const std::filesystem::path& file) {
    const auto copy = scratch() / "copy.db";
    sqlite3* raw = nullptr;
    sqlite3_open(file.c_str(), &raw);
    const std::unique_ptr<sqlite3, int (*)(sqlite3*)> database(raw, sqlite3_close);
    if (sqlite3_exec(raw, fmt::format("VACUUM INTO '{}'", copy.string()).c_str(), nullptr, nullptr,
                     nullptr) != SQLITE_OK) {
        finding(sqlite3_errmsg(raw));
    }
    auto bytes = read_file(copy);
    std::filesystem::remove(copy);
    return bytes;
}

}  // namespace

std::vector<journal::Record> sample_journal() {
    auto start = testing::opening();
    std::get<journal::JobInfo>(start.front()).plan_toml = journal_plan;
    start.emplace_back(testing::sync_of(0, 0, 0, 0, 0));
    start.emplace_back(testing::sync_of(0, 1, 0, 50, 40));
    start.emplace_back(journal::ClockPings{
        .asking = 0, .answering = 1, .low_ns = -40, .high_ns = 40, .round_trips_ns = {80, 90, 85}});
    start.emplace_back(journal::ClockEvent{.after_ns = 1'000,
                                           .rank = 1,
                                           .planned_ns = 5'000,
                                           .acted_ns = 5'040,
                                           .global_ns = 5'000,
                                           .claimed_ns = 40});
    auto plain = testing::measured(0);
    add_to_point(plain, {journal::PointPause{0}, journal::PointBegin{0}, evidence(0, 0), evidence(0, 1),
                         events(0, 0), events(0, 1), journal::Disturbance{0, 1, 1'500, 3'500, 700},
                         journal::RankTally{0, 0, {{journal::finish_barrier_tally, 30}}}});
    auto study = testing::measured(2);
    add_to_point(study, study_records(2));
    auto other_study = testing::measured(3, 500);
    add_to_point(other_study, study_records(3));
    const std::vector<journal::Record> end{
        journal::PointAdded{
            {.index = 4, .key = testing::point_spec(4, "bcast", 4'096).key, .purpose = plan::purpose_refine}},
        journal::JobEnd{.rank_0_peak_bytes = 1 << 20, .other_peak_bytes = 1 << 20}};
    return testing::joined({start, plain, testing::measured(1, 50), study, other_study, end});
}

std::string sample_file() {
    const auto journal = scratch() / "sample.journal";
    testing::write_journal(journal, sample_journal());
    testing::SampleStore sample(
        {testing::point_spec(0, "bcast", 8, 4), testing::point_spec(1, "pairs", 64, 4),
         testing::point_spec(2, "matrix", 64, 4), testing::point_spec(3, "overlap.isend", 65'536)},
        "sample", "tags = [\"a=b\"]\n");
    put_run(sample);
    auto planned = launch::planned_in(journal);
    planned.plan.tags = {"rev=3f2a"};
    const auto run = launch::create_run(sample.store, planned, "fathom run --collect");
    launch::collect(sample.store, run, journal);
    return copy_of(sample.store.path());
}

}  // namespace fathom::fuzzing

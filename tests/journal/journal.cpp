#include "journal/journal.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <tuple>
#include <unistd.h>

#include <climits>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/test_support.hpp"
#include "journal/checks.hpp"
#include "journal/limits.hpp"

namespace fathom::journal {
namespace {

using testing::refusal_of;
using testing::TempFolder;

const JobInfo job{.procs = 64,
                  .simulated = true,
                  .mpi_flavour = "smpi",
                  .mpi_version = "SimGrid 3.32\nsecond line",
                  .mpi_standard = "3.1",
                  .time_source = "simulated",
                  .plan_toml = "reps = 5\n",
                  .facts = {{"build_type", "Release"}, {"OMPI_X", "a \"b\""}},
                  .clock_ns = 123'456'789,
                  .utc_ns = 1'763'200'000'123'456'789};

std::vector<Record> one_of_each() {
    return {
        job,
        RankInfo{.rank = 7,
                 .host = "c3",
                 .pid = 123'456'789'012,
                 .binding = "0-3,8",
                 .empty_ns = 41,
                 .socket = 1,
                 .numa_node = 3},
        HostInfo{.host = "c3", .facts = {{"cores", "4"}, {"kernel", "Linux 6"}}},
        PointBegin{.index = 5},
        SampleBlock{
            .point = 5, .rank = 7, .first_rep = 65'536, .count = 3, .data = std::string("\0\xff\n{}", 5)},
        PointEnd{.index = 5,
                 .status = journal::PointStatus::failed,
                 .reason = "wrong data",
                 .datatype = "float",
                 .start = "window",
                 .warmup_calls = 21,
                 .calls = 100,
                 .cache = "cold",
                 .remark = "stopped at the limit",
                 .samples = 1'000'000'000'000},
        JobEnd{.complete = false, .reason = "rank 0 on c1: why"},
        ClockSync{.sync = 3,
                  .rank = 7,
                  .at_ns = latest_ns,
                  .offset_ns = -1'234'567'890'123,
                  .low_ns = -latest_ns,
                  .high_ns = 5,
                  .round_trip_ns = 412,
                  .pings = 177,
                  .shared = true,
                  .cost_ns = 70'000,
                  .scheme = "hosts"},
        ClockPings{.round = 2,
                   .asking = 7,
                   .answering = 1,
                   .at_ns = 10,
                   .offset_ns = -20,
                   .low_ns = -30,
                   .high_ns = -10,
                   .round_trips_ns = {20, 25, 1'000'000}},
        ClockEvent{.after_ns = 60'000'000'000,
                   .event = 4,
                   .rank = 7,
                   .planned_ns = 100,
                   .acted_ns = 1'000'100,
                   .global_ns = 101,
                   .claimed_ns = 9,
                   .sync = 12},
        PointAdded{{.index = 40,
                    .key = {.operation = "bcast",
                            .pattern = "all",
                            .procs = 64,
                            .size = {(std::int64_t{5} << 30) + 1},
                            .scheme = "as-imb",
                            .implementation = "tree:flat"},
                    .purpose = "switch"}},
        PointPause{.index = 5},
        Disturbance{
            .point = 5, .rank = 7, .begin_ns = -8'000'000'000, .end_ns = latest_ns, .waited_ns = 4'000'000},
        RankTally{.point = 5, .rank = 7, .counts = {{"pieces", 33}, {"total_ns", 1.5e12}, {"x", -0.125}}},
        StudyStep{.point = 6,
                  .step = 9,
                  .scheme = StepScheme::work,
                  .work_ns = 77,
                  .tests = 5,
                  .interval_bytes = 1024},
        StudyBlock{.point = 6, .rank = 3, .count = 2, .data = std::string("\0\1xyz", 5)},
        EvidenceBlock{.point = 5,
                      .rank = 7,
                      .block = 2,
                      .count = 3,
                      .readings = 400'000'000'000,
                      .spent_ns = 17,
                      .measured_ns = longest_ns,
                      .network = true,
                      .rto_ns = 201'000'000,
                      .rto_min_ns = 200'000'000,
                      .data = std::string("\0\xfe{}", 4)},
        EventBlock{.point = 5,
                   .rank = 7,
                   .block = 3,
                   .every = 10,
                   .first_call = 5'000'000'000,
                   .count = 4,
                   .dropped = 6'000'000'000,
                   .data = std::string("\0\xfe[]", 4)}};
}

void expect_same(const Record& read, const Record& written) {
    ASSERT_EQ(read.index(), written.index());
    if (const auto* info = std::get_if<JobInfo>(&read)) {
        const auto& expected = std::get<JobInfo>(written);
        EXPECT_EQ(info->procs, expected.procs);
        EXPECT_EQ(info->simulated, expected.simulated);
        EXPECT_EQ(info->mpi_flavour, expected.mpi_flavour);
        EXPECT_EQ(info->mpi_version, expected.mpi_version);
        EXPECT_EQ(info->mpi_standard, expected.mpi_standard);
        EXPECT_EQ(info->time_source, expected.time_source);
        EXPECT_EQ(info->plan_toml, expected.plan_toml);
        EXPECT_EQ(info->facts, expected.facts);
        EXPECT_EQ(info->clock_ns, expected.clock_ns);
        EXPECT_EQ(info->utc_ns, expected.utc_ns);
    } else if (const auto* rank = std::get_if<RankInfo>(&read)) {
        const auto& expected = std::get<RankInfo>(written);
        EXPECT_EQ(rank->rank, expected.rank);
        EXPECT_EQ(rank->host, expected.host);
        EXPECT_EQ(rank->pid, expected.pid);
        EXPECT_EQ(rank->binding, expected.binding);
        EXPECT_EQ(rank->empty_ns, expected.empty_ns);
        EXPECT_EQ(rank->socket, expected.socket);
        EXPECT_EQ(rank->numa_node, expected.numa_node);
    } else if (const auto* host = std::get_if<HostInfo>(&read)) {
        const auto& expected = std::get<HostInfo>(written);
        EXPECT_EQ(host->host, expected.host);
        EXPECT_EQ(host->facts, expected.facts);
    } else if (const auto* begin = std::get_if<PointBegin>(&read)) {
        EXPECT_EQ(begin->index, std::get<PointBegin>(written).index);
    } else if (const auto* block = std::get_if<SampleBlock>(&read)) {
        const auto& expected = std::get<SampleBlock>(written);
        EXPECT_EQ(block->point, expected.point);
        EXPECT_EQ(block->rank, expected.rank);
        EXPECT_EQ(block->first_rep, expected.first_rep);
        EXPECT_EQ(block->count, expected.count);
        EXPECT_EQ(block->data, expected.data);
    } else if (const auto* end = std::get_if<PointEnd>(&read)) {
        const auto& expected = std::get<PointEnd>(written);
        EXPECT_EQ(end->index, expected.index);
        EXPECT_EQ(end->status, expected.status);
        EXPECT_EQ(end->reason, expected.reason);
        EXPECT_EQ(end->datatype, expected.datatype);
        EXPECT_EQ(end->start, expected.start);
        EXPECT_EQ(end->warmup_calls, expected.warmup_calls);
        EXPECT_EQ(end->calls, expected.calls);
        EXPECT_EQ(end->cache, expected.cache);
        EXPECT_EQ(end->remark, expected.remark);
    } else if (const auto* added = std::get_if<PointAdded>(&read)) {
        const auto& expected = std::get<PointAdded>(written);
        EXPECT_EQ(added->point, expected.point);
    } else if (const auto* pause = std::get_if<PointPause>(&read)) {
        EXPECT_EQ(pause->index, std::get<PointPause>(written).index);
    } else if (const auto* stretch = std::get_if<Disturbance>(&read)) {
        const auto& expected = std::get<Disturbance>(written);
        EXPECT_EQ(
            std::tie(stretch->point, stretch->rank, stretch->begin_ns, stretch->end_ns, stretch->waited_ns),
            std::tie(expected.point, expected.rank, expected.begin_ns, expected.end_ns, expected.waited_ns));
    } else if (const auto* tally = std::get_if<RankTally>(&read)) {
        const auto& expected = std::get<RankTally>(written);
        EXPECT_EQ(std::tie(tally->point, tally->rank, tally->counts),
                  std::tie(expected.point, expected.rank, expected.counts));
    } else if (const auto* step = std::get_if<StudyStep>(&read)) {
        const auto& expected = std::get<StudyStep>(written);
        EXPECT_EQ(
            std::tie(step->point, step->step, step->scheme, step->work_ns, step->tests, step->interval_bytes),
            std::tie(expected.point, expected.step, expected.scheme, expected.work_ns, expected.tests,
                     expected.interval_bytes));
    } else if (const auto* study = std::get_if<StudyBlock>(&read)) {
        const auto& expected = std::get<StudyBlock>(written);
        EXPECT_EQ(std::tie(study->point, study->rank, study->count, study->data),
                  std::tie(expected.point, expected.rank, expected.count, expected.data));
    } else if (const auto* evidence = std::get_if<EvidenceBlock>(&read)) {
        const auto& expected = std::get<EvidenceBlock>(written);
        EXPECT_EQ(std::tie(evidence->point, evidence->rank, evidence->block, evidence->count,
                           evidence->readings, evidence->spent_ns, evidence->measured_ns, evidence->network,
                           evidence->rto_ns, evidence->rto_min_ns, evidence->data),
                  std::tie(expected.point, expected.rank, expected.block, expected.count, expected.readings,
                           expected.spent_ns, expected.measured_ns, expected.network, expected.rto_ns,
                           expected.rto_min_ns, expected.data));
    } else if (const auto* events = std::get_if<EventBlock>(&read)) {
        const auto& expected = std::get<EventBlock>(written);
        EXPECT_EQ(std::tie(events->point, events->rank, events->block, events->every, events->first_call,
                           events->count, events->dropped, events->data),
                  std::tie(expected.point, expected.rank, expected.block, expected.every, expected.first_call,
                           expected.count, expected.dropped, expected.data));
    } else if (const auto* sync = std::get_if<ClockSync>(&read)) {
        const auto& expected = std::get<ClockSync>(written);
        EXPECT_EQ(std::tie(sync->sync, sync->rank, sync->at_ns, sync->offset_ns, sync->low_ns, sync->high_ns,
                           sync->round_trip_ns, sync->pings, sync->shared, sync->cost_ns, sync->scheme),
                  std::tie(expected.sync, expected.rank, expected.at_ns, expected.offset_ns, expected.low_ns,
                           expected.high_ns, expected.round_trip_ns, expected.pings, expected.shared,
                           expected.cost_ns, expected.scheme));
    } else if (const auto* pings = std::get_if<ClockPings>(&read)) {
        const auto& expected = std::get<ClockPings>(written);
        EXPECT_EQ(std::tie(pings->round, pings->asking, pings->answering, pings->at_ns, pings->offset_ns,
                           pings->low_ns, pings->high_ns, pings->round_trips_ns),
                  std::tie(expected.round, expected.asking, expected.answering, expected.at_ns,
                           expected.offset_ns, expected.low_ns, expected.high_ns, expected.round_trips_ns));
    } else if (const auto* event = std::get_if<ClockEvent>(&read)) {
        const auto& expected = std::get<ClockEvent>(written);
        EXPECT_EQ(std::tie(event->after_ns, event->event, event->rank, event->planned_ns, event->acted_ns,
                           event->global_ns, event->claimed_ns, event->sync),
                  std::tie(expected.after_ns, expected.event, expected.rank, expected.planned_ns,
                           expected.acted_ns, expected.global_ns, expected.claimed_ns, expected.sync));
    } else {
        EXPECT_EQ(std::get<JobEnd>(read).complete, std::get<JobEnd>(written).complete);
        EXPECT_EQ(std::get<JobEnd>(read).reason, std::get<JobEnd>(written).reason);
    }
}

std::size_t records_in(const std::filesystem::path& path) {
    Reader reader(path);
    std::size_t count = 0;
    while (reader.next()) {
        ++count;
    }
    return count;
}

void append(const std::filesystem::path& path, std::string_view bytes) {
    std::ofstream out(path, std::ios::binary | std::ios::app);
    out << bytes;
}

class Journal : public ::testing::Test {
  protected:
    TempFolder folder;
    std::filesystem::path path = folder / "run.journal";
};

TEST_F(Journal, GivesBackEveryKindOfRecord) {
    const auto records = one_of_each();
    ASSERT_EQ(records.size(), std::variant_size_v<Record>) << "this test needs one of each";
    Writer writer(path);
    for (const auto& record : records) {
        writer.write(record);
    }
    Reader reader(path);
    for (const auto& record : records) {
        const auto read = reader.next();
        ASSERT_TRUE(read);
        expect_same(*read, record);
    }
    EXPECT_FALSE(reader.next());
}

TEST_F(Journal, IsReadWhileItIsWritten) {
    Reader reader(path);
    EXPECT_FALSE(reader.next()) << "there is no file yet";
    Writer writer(path);
    EXPECT_FALSE(reader.next());
    for (const auto& record : one_of_each()) {
        writer.write(record);
        const auto read = reader.next();
        ASSERT_TRUE(read);
        expect_same(*read, record);
        EXPECT_FALSE(reader.next());
    }
}

TEST_F(Journal, GrowingByteByByteIsReadRecordByRecord) {
    {
        Writer writer(path);
        for (const auto& record : one_of_each()) {
            writer.write(record);
        }
    }
    const auto bytes = read_file(path);
    const auto growing = folder / "growing.journal";
    Reader reader(growing);
    std::size_t read = 0;
    for (const char byte : bytes) {
        append(growing, {&byte, 1});
        while (const auto record = reader.next()) {
            expect_same(*record, one_of_each().at(read));
            ++read;
        }
    }
    EXPECT_EQ(read, one_of_each().size());
}

TEST_F(Journal, CutShortAnywhereInARecordGivesTheEarlierOnes) {
    for (const auto& last : one_of_each()) {
        std::uintmax_t whole = 0;
        {
            Writer writer(path);
            writer.write(job);
            writer.write(PointBegin{0});
            whole = std::filesystem::file_size(path);
            writer.write(last);
        }
        const auto full = std::filesystem::file_size(path);
        ASSERT_EQ(records_in(path), 3U);
        for (auto size = full - 1; size >= whole; --size) {
            std::filesystem::resize_file(path, size);
            ASSERT_EQ(records_in(path), 2U) << "cut to " << size << " of " << full << " bytes";
        }
    }
}

TEST_F(Journal, CutShortWithinItsFirstLineHasNoRecordsYet) {
    { const Writer writer(path); }
    for (auto size = std::filesystem::file_size(path); size-- > 0;) {
        std::filesystem::resize_file(path, size);
        EXPECT_EQ(records_in(path), 0U);
    }
}

TEST_F(Journal, WithADamagedTailGivesTheRecordsBefore) {
    std::uintmax_t whole = 0;
    {
        Writer writer(path);
        writer.write(PointBegin{0});
        whole = std::filesystem::file_size(path);
        writer.write(
            PointEnd{.index = 0, .status = journal::PointStatus::ok, .reason = "", .datatype = "float"});
    }
    auto bytes = read_file(path);
    const std::size_t frame = 16;
    for (auto at = whole + frame; at < bytes.size(); ++at) {
        auto damaged = bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
        write_file(path, damaged);
        EXPECT_EQ(records_in(path), 1U) << "byte " << at;
    }
    // A network file system may show room before content.
    std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(whole) + 16, bytes.end(), '\0');
    write_file(path, bytes);
    EXPECT_EQ(records_in(path), 1U);
}

TEST_F(Journal, GoesOnBehindWhatIsDamagedOnceNobodyWrites) {
    std::vector<std::uintmax_t> ends;
    {
        Writer writer(path);
        for (int i = 0; i < 4; ++i) {
            writer.write(PointBegin{i});
            ends.push_back(std::filesystem::file_size(path));
        }
    }
    const auto whole = read_file(path);
    // Every byte of the second record, its frame included.
    for (auto at = ends[0]; at < ends[1]; ++at) {
        auto damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
        write_file(path, damaged);
        Reader reader(path);
        EXPECT_TRUE(reader.next());
        EXPECT_TRUE(reader.stuck()) << "byte " << at;
        reader.nobody_writes();
        EXPECT_FALSE(reader.next()) << "byte " << at;
        EXPECT_EQ(reader.skip_damage(), ends[1] - ends[0]) << "byte " << at;
        EXPECT_TRUE(reader.next());
        EXPECT_TRUE(reader.next());
        EXPECT_FALSE(reader.next());
        EXPECT_EQ(reader.skip_damage(), 0U);
    }
}

TEST_F(Journal, CutShortIsNotDamaged) {
    {
        Writer writer(path);
        writer.write(PointBegin{0});
        writer.write(PointBegin{1});
    }
    const auto whole = read_file(path);
    std::filesystem::resize_file(path, whole.size() - 1);
    Reader reader(path);
    reader.nobody_writes();
    EXPECT_TRUE(reader.next());
    EXPECT_FALSE(reader.next());
    EXPECT_FALSE(reader.stuck());
    EXPECT_EQ(reader.skip_damage(), 0U);
}

TEST_F(Journal, WithRoomInsteadOfItsEndHasLostThat) {
    {
        Writer writer(path);
        writer.write(PointBegin{0});
    }
    const auto whole = read_file(path);
    write_file(path, whole + std::string(5000, '\0'));  // as a file system leaves it after a power failure
    Reader reader(path);
    reader.nobody_writes();
    EXPECT_TRUE(reader.next());
    EXPECT_FALSE(reader.next());
    EXPECT_EQ(reader.skip_damage(), 5000U);
    EXPECT_FALSE(reader.next());
}

TEST_F(Journal, OfAnotherProgramIsRefused) {
    write_file(path, "SQLite format 3 and more bytes than a first line");
    EXPECT_EQ(refusal_of([&] { records_in(path); }), path.string() + " is not a fathom journal");
}

TEST_F(Journal, OfAnotherFormatIsRefused) {
    for (const auto* magic : {"fathom journal 1\n", "fathom journal 3\n"}) {
        write_file(path, magic);
        EXPECT_EQ(refusal_of([&] { records_in(path); }),
                  path.string() + " was written by another version of fathom");
    }
}

TEST_F(Journal, IsStartedAfreshByANewWriter) {
    Writer(path).write(PointBegin{0});
    Writer(path).write(PointBegin{1});
    EXPECT_EQ(records_in(path), 1U);
}

TEST_F(Journal, HasOneWriterAtATime) {
    Writer writer(path);
    writer.write(PointBegin{0});
    EXPECT_THROW(Writer{path}, NotMeasured);
    writer.write(PointBegin{1});
    EXPECT_EQ(records_in(path), 2U) << "the one that was refused left it alone";
}

TEST_F(Journal, CanBeReadAgainFromAPosition) {
    Writer writer(path);
    writer.write(PointBegin{0});
    writer.write(PointBegin{1});
    writer.write(PointBegin{2});
    Reader reader(path);
    reader.next();
    const auto second = reader.position();
    reader.next();
    reader.next();
    EXPECT_EQ(std::get<PointBegin>(*reader.at(second)).index, 1);
    EXPECT_FALSE(reader.next()) << "reading again does not change what comes next";
    std::filesystem::remove(path);
    EXPECT_EQ(std::get<PointBegin>(*reader.at(second)).index, 1) << "the file stays open";
    EXPECT_FALSE(reader.at(reader.position())) << "there is no such record";
}

TEST_F(Journal, KeepsABlockOfManyMegabytes) {
    std::string data(5'000'000, '\0');
    for (std::size_t i = 0; i < data.size(); ++i) {
        data[i] = static_cast<char>(i * 2654435761U >> 24);
    }
    Writer(path).write(SampleBlock{.point = 1, .rank = 2, .first_rep = 3, .count = 4, .data = data});
    EXPECT_EQ(std::get<SampleBlock>(*Reader(path).next()).data, data);
}

TEST_F(Journal, ReplacesBytesThatAreNoText) {
    Writer(path).write(HostInfo{.host = "h", .facts = {{"PATH", "a\xff z"}}});
    const auto read = std::get<HostInfo>(*Reader(path).next());
    EXPECT_EQ(read.facts.at("PATH"), "a\xef\xbf\xbd z");
}

TEST_F(Journal, RefusesValuesThatNoProbeWritesAndNamesTheirPlace) {
    const auto with = []<typename Content>(Content content, auto change) {
        change(content);
        return Record(content);
    };
    const std::vector<std::pair<Record, std::string>> wrong{
        {with(SampleBlock(), [](auto& block) { block.first_rep = -1; }), "first_rep is -1"},
        {with(SampleBlock(), [](auto& block) { block.rank = -1; }), "rank is -1"},
        {with(SampleBlock(), [](auto& block) { block.count = -1; }), "count is -1"},
        {with(SampleBlock(), [](auto& block) { block.count = most_in_block + 1; }), "count is 4194305"},
        {with(StudyBlock(), [](auto& block) { block.count = most_in_block + 1; }), "count is 4194305"},
        {with(EvidenceBlock(), [](auto& block) { block.rank = most_ranks; }), "rank is 10000000"},
        {with(EventBlock(), [](auto& block) { block.every = 0; }), "every is 0"},
        {with(EventBlock(), [](auto& block) { block.dropped = -1; }), "dropped is -1"},
        {with(EventBlock(), [](auto& block) { block.count = most_in_block + 1; }), "count is 4194305"},
        {with(job, [](auto& info) { info.procs = 0; }), "procs is 0"},
        {with(PointEnd(), [](auto& end) { end.calls = 0; }), "calls is 0"},
        {with(PointEnd(), [](auto& end) { end.samples = -1; }), "samples is -1"},
        {with(PointBegin(), [](auto& begin) { begin.index = -1; }), "index is -1"},
        {with(ClockSync(), [](auto& sync) { sync.sync = INT_MAX; }), "sync is 2147483647"},
        {with(ClockSync(), [](auto& sync) { sync.at_ns = std::int64_t{1} << 62; }),
         "at_ns is 4611686018427387904"},
        {with(RankInfo(), [](auto& info) { info.empty_ns = INT64_MAX; }), "empty_ns is"},
        {with(RankTally(), [](auto& tally) { tally.counts["x"] = 1e300; }), "a count is 1e+300"},
        {with(PointAdded(), [](auto& added) { added.point.key.procs = 0; }), "procs is 0"},
        {with(HostInfo(), [](auto& info) { info.host.assign(longest_text + 1, 'x'); }), "host has"}};
    for (const auto& [record, complaint] : wrong) {
        Writer writer(path);
        writer.write(PointBegin{.index = 3});
        writer.write(record);
        Reader reader(path);
        EXPECT_TRUE(reader.next()) << complaint;
        const auto said = refusal_of([&] { reader.next(); });
        EXPECT_NE(said.find(path.string() + ": damaged record ("), std::string::npos) << said;
        EXPECT_NE(said.find(complaint), std::string::npos) << said;
        EXPECT_NE(said.find(" at byte "), std::string::npos) << said;
    }
    for (const auto& record : one_of_each()) {
        EXPECT_EQ(wrong_with(record), "");
    }
}

TEST_F(Journal, RefusesANumberThatDoesNotFitItsField) {
    auto text = packed(PointBegin{.index = 3});
    text.replace(text.find('3'), 1, "4294967299");
    EXPECT_FALSE(unpacked(text)) << "it would be 3";
}

TEST_F(Journal, ThatCannotBeWrittenIsNamed) {
    const auto absent = folder / "absent/run.journal";
    EXPECT_EQ(refusal_of<Unwritable>([&] { Writer{absent}; }),
              "cannot write " + absent.string() + ": No such file or directory");
}

TEST_F(Journal, SaysSoWhenTheDiskIsFull) {
    if (::access("/dev/full", W_OK) != 0) {
        GTEST_SKIP() << "no /dev/full here";
    }
    EXPECT_EQ(refusal_of<Unwritable>([] { Writer{"/dev/full"}; }),
              "cannot write /dev/full: No space left on device");
}

}  // namespace
}  // namespace fathom::journal

#include "probe/point_run.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <span>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.hpp"
#include "base/plain_bytes.hpp"
#include "machine/facts.hpp"
#include "plan/operations.hpp"
#include "plan/pairing.hpp"
#include "probe/loops/finished_by.hpp"
#include "probe/loops/in_a_row.hpp"
#include "probe/loops/timed_loop.hpp"
#include "probe/mpi/acknowledgement.hpp"
#include "probe/mpi/check.hpp"
#include "probe/mpi/flavour.hpp"
#include "probe/mpi/local_worker.hpp"
#include "probe/mpi/mpi_barrier.hpp"
#include "probe/ops/registry.hpp"
#include "probe/start/dissemination.hpp"
#include "probe/start/none.hpp"
#include "probe/start/roundtime.hpp"
#include "probe/start/window.hpp"

namespace fathom::probe {
namespace {

std::int64_t free_memory_bytes() {
    std::istringstream lines(read_file_or_empty("/proc/meminfo"));
    std::string key;
    std::int64_t kib = 0;
    while (lines >> key) {
        if (key == "MemAvailable:" && lines >> kib) {
            return kib * 1024;
        }
        lines.ignore(INT32_MAX, '\n');
    }
    return INT64_MAX;
}

/// For tests of data checks: the rank that FATHOM_SPOIL names gets a wrong byte, as from a faulty library.
void spoil_if_asked(Operation& operation, int rank) {
    const char* const named = std::getenv("FATHOM_SPOIL");
    const auto bytes = operation.received();
    if (named != nullptr && fmt::format("{}", rank) == named && !bytes.empty()) {
        bytes[bytes.size() / 2] ^= std::byte{0x10};
    }
}

/// An operation as it is timed: several calls in a row, and perhaps a barrier or acknowledgements after them.
/// Where it is traced, `numbers` get to know its repetitions.
class Looped {
  public:
    Looped(Operation& operation, const plan::Plan& settings, MPI_Comm communicator, TraceNumbers* numbers)
        : row_(operation, settings.in_a_row),
          inner_(settings.in_a_row > 1 ? static_cast<Operation&>(row_) : operation),
          barrier_(communicator),
          acknowledgement_(communicator),
          finished_(inner_, settings.finish == plan::Finish::acknowledged
                                ? static_cast<Start&>(acknowledgement_)
                                : barrier_),
          outer_(settings.finish == plan::Finish::call ? inner_ : static_cast<Operation&>(finished_)),
          numbered_(outer_, numbers),
          timed_(numbers != nullptr ? static_cast<Operation&>(numbered_) : outer_) {}
    [[nodiscard]] Operation& operation() { return timed_; }

  private:
    InARow row_;
    Operation& inner_;
    mpi::MpiBarrier barrier_;
    mpi::Acknowledgement acknowledgement_;
    FinishedBy finished_;
    Operation& outer_;
    Numbered numbered_;
    Operation& timed_;
};

}  // namespace

PointRun::PointRun(const Bench& bench, Team& team, plan::PointSpec point, plan::Plan settings,
                   Nanoseconds most)
    : bench_(bench),
      team_(team),
      point_(std::move(point)),
      settings_(std::move(settings)),
      most_(most),
      info_(plan::find_operation(point_.key.operation)),
      start_mode_(start_mode()) {
    // The analysis knows who met whom by the point alone.
    settings_.operation.contended = point_.key.pattern != plan::pair_per_host;
    end_.index = point_.index;
    end_.status = journal::PointStatus::ok;
    end_.cache = to_text(region().count > 0 ? plan::Cache::cold : plan::Cache::warm);
    end_.start = to_text(start_mode_);
    end_.pairs = pairs_text();
}

/// Who communicates with whom, by the job's ranks.
std::string PointRun::pairs_text() const {
    std::vector<std::string> pairs;
    const auto add = [&](int rank, int partner) {
        pairs.push_back(fmt::format("{}-{}", team_.world_rank(rank), team_.world_rank(partner)));
    };
    for (int first = 0; first < team_.group().size(); first += team_.ranks_in_group()) {
        if (info_.of_two()) {
            add(first, first + 1);
        } else if (info_.is(plan::Fact::in_pairs)) {
            const auto pairing = plan::pairing_of(settings_.operation.pairs, team_.hosts_of_group(first));
            for (std::size_t rank = 0; rank < pairing.partner.size(); ++rank) {
                if (pairing.leads[rank]) {
                    add(first + static_cast<int>(rank), first + pairing.partner[rank]);
                }
            }
        }
    }
    return fmt::format("{}", fmt::join(pairs, ","));
}

void PointRun::emit(const journal::Record& record) const {
    if (team_.group().rank() == 0) {
        bench_.emit(record);
    }
}

Visit PointRun::visit(bool to_the_end) {
    bool ended = true;
    if (const auto refusal = measure(to_the_end, ended)) {
        end_.status = refusal->status;
        end_.reason = refusal->reason;
        ended = true;
    }
    if (!ended) {
        emit(journal::PointPause{point_.index});
        return {.ended = false, .time = std::nullopt};
    }
    emit(end_);
    Visit visit;
    visit.spoilt_job =
        end_.status == journal::PointStatus::failed && plan::implementation_of(point_.key).forced();
    const auto time = end_.status == journal::PointStatus::ok ? loop_->time() : std::nullopt;
    if (time) {
        const auto ways = settings_.round_trip == plan::RoundTrip::whole ? 1 : info_.legs();
        const auto share = static_cast<double>(ways) * static_cast<double>(end_.calls);
        visit.time = stats::CurvePoint{.x = 0,
                                       .median = time->median / share,
                                       .low = time->bounds.low / share,
                                       .high = time->bounds.high / share};
    }
    return visit;
}

std::optional<Refusal> PointRun::measure(bool to_the_end, bool& ended) {
    if (!plan::implementation_of(point_.key).forced()) {
        return measure_chosen(to_the_end, ended);
    }
    // In simulation ranks share the choice: no call may be under way elsewhere when it changes.
    DisseminationBarrier barrier(team_.group());
    barrier.align();
    auto refusal = choose_algorithm();
    if (!refusal) {
        refusal = measure_chosen(to_the_end, ended);
    }
    barrier.align();
    choice_.reset();
    barrier.align();
    return refusal;
}

std::optional<Refusal> PointRun::measure_chosen(bool to_the_end, bool& ended) {
    auto& group = team_.group();
    const auto begun = bench_.local.clock->now();
    std::unique_ptr<Operation> operation;
    if (auto refusal = Refusal::from(group.first_of(make(operation)))) {
        return refusal;
    }
    const bool first_visit = !loop_.has_value();
    const bool own = !point_.key.implementation.empty();
    crowded_ =
        team_.oversubscription().anywhere || (own && group.largest(operation->shares_cores() ? 1 : 0) > 0);
    end_.datatype = operation->datatype();
    end_.calls = settings_.in_a_row * operation->parts();
    if (first_visit) {
        if (auto refusal = choice_ ? tried(*operation) : std::nullopt) {
            return refusal;
        }
        if (auto wrong = verified(*operation, "before")) {
            return wrong;
        }
    }
    const auto warmth = warm(*operation);
    operation->take_tally();
    begin_trace(*operation);
    if (first_visit) {
        end_.warmup_calls = warmth.calls;
        spend(bench_.local.clock->now() - begun);
        set_up_loop(warmth);
    }
    try {
        if (to_the_end) {
            if (auto refusal = run_to_the_end(operation)) {
                return refusal;
            }
        } else {
            Looped looped(*operation, settings_, team_.measured(), numbers());
            ended = loop_->step(*start_, looped.operation());
            loop_->deliver();
            deliver_trace(*operation);
            count(*operation);
        }
        if (ended && info_.overlaps()) {
            if (auto refusal = study(operation)) {
                return refusal;
            }
        }
    } catch (const NoCommonStart& error) {
        return Refusal{journal::PointStatus::failed, error.what()};
    }
    if (!ended) {
        return std::nullopt;
    }
    note_remarks(warmth, *operation);
    deliver_tally();
    return verified(*operation, "after");
}

/// Adds what the operation has counted.
void PointRun::count(Operation& operation) {
    for (const auto& [name, value] : operation.take_tally()) {
        tally_[name] += value;
    }
}

/// Gives rank 0 what each rank has counted, where there is anything.
void PointRun::deliver_tally() {
    auto& group = team_.group();
    if (group.largest(tally_.empty() ? 0 : 1) == 0) {
        return;
    }
    const journal::RankTally own{
        .point = point_.index, .rank = team_.world_rank(group.rank()), .counts = tally_};
    if (group.rank() != 0) {
        group.send(0, journal::packed(own));
        return;
    }
    emit(own);
    for (int rank = 1; rank < group.size(); ++rank) {
        emit(journal::unpacked(group.receive(rank)).value());
    }
}

/// From now on what calls leave behind counts. A series is as long as a ring has room for.
void PointRun::begin_trace(Operation& operation) {
    operation_ = &operation;
    auto* const traced = operation.traced();
    if (traced == nullptr) {
        return;
    }
    numbers_.emplace(end_.calls);
    traced->begin_trace();
    const auto every = settings_.trace.every;
    const auto by_rep = (end_.calls + every - 1) / every * team_.group().largest(traced->events_per_call());
    constexpr std::int64_t with_lead_ins = 2;  // at most one before each repetition
    most_in_series_ =
        std::max<std::int64_t>(1, settings_.trace.ring / std::max<std::int64_t>(1, by_rep * with_lead_ins));
}

/// What this rank has recorded since the last time, in blocks. One at least for the whole point: it was
/// traced, even if no call left anything.
std::vector<journal::EventBlock> PointRun::event_blocks(Traced& traced) {
    constexpr auto most = static_cast<std::size_t>(batch_reps);
    auto trace = traced.take_trace();
    const auto events = numbers_->renumbered(std::move(trace.events));
    const bool even_if_empty = event_blocks_ == 0 || trace.dropped > 0;
    std::vector<journal::EventBlock> blocks;
    for (std::size_t at = 0; at < events.size() || (at == 0 && even_if_empty); at += most) {
        const auto part = std::span(events).subspan(at, std::min(most, events.size() - at));
        blocks.push_back({.point = point_.index,
                          .rank = team_.world_rank(team_.group().rank()),
                          .block = event_blocks_++,
                          .every = static_cast<int>(settings_.trace.every),
                          .first_call = part.empty() ? 0 : part.front().call,
                          .count = static_cast<std::int64_t>(part.size()),
                          .dropped = at == 0 ? trace.dropped : 0,
                          .data = journal::pack_events(part)});
    }
    return blocks;
}

/// Gives rank 0 what all ranks have recorded. Collective over the team.
void PointRun::deliver_trace(Operation& operation) {
    auto* const traced = operation.traced();
    if (traced == nullptr) {
        return;
    }
    auto& group = team_.group();
    const auto own = event_blocks(*traced);
    if (group.rank() != 0) {
        group.send(0, bytes_of(own.size()));
        for (const auto& block : own) {
            group.send(0, journal::packed(block));
        }
        return;
    }
    const auto deliver = [&](const journal::EventBlock& block) {
        end_.samples += block.count;
        emit(block);
    };
    for (const auto& block : own) {
        deliver(block);
    }
    for (int rank = 1; rank < group.size(); ++rank) {
        const auto blocks = value_from<std::size_t>(group.receive(rank));
        for (std::size_t i = 0; i < blocks; ++i) {
            deliver(std::get<journal::EventBlock>(journal::unpacked(group.receive(rank)).value()));
        }
    }
}

/// Moves to other memory now and then: otherwise the placement of buffers would affect a percent
/// or two of the result.
std::optional<Refusal> PointRun::run_to_the_end(std::unique_ptr<Operation>& operation) {
    constexpr Bytes largest_moved{1LL << 20};  // above, a buffer spans so many pages that it evens out
    constexpr std::int64_t calls_to_settle = 3;
    const auto least = limits({0}).least;
    const bool moves = least.count > 0 && point_.key.size <= largest_moved;
    const Nanoseconds slice{moves ? std::max<std::int64_t>(1, least.count / places) : INT64_MAX};
    while (true) {
        Looped looped(*operation, settings_, team_.measured(), numbers());
        const bool ended = loop_->run_for(*start_, looped.operation(), slice);
        deliver_trace(*operation);
        if (ended) {
            loop_->deliver();
            count(*operation);
            return std::nullopt;
        }
        // The old one is freed only afterwards, or its memory would be reused.
        std::unique_ptr<Operation> other;
        if (auto refusal = Refusal::from(team_.group().first_of(make(other)))) {
            return refusal;
        }
        count(*operation);
        operation = std::move(other);
        DisseminationBarrier barrier(team_.group());
        warm_up_by(team_.group(), *bench_.local.clock, barrier, *operation, calls_to_settle);
        operation->take_tally();
        begin_trace(*operation);
    }
}

/// What preparing has taken is no longer there for repetitions.
void PointRun::spend(Nanoseconds time) {
    constexpr std::int64_t least = 1'000'000;  // so that it is measured at all
    most_ = {std::max(least, most_.count - team_.group().largest(time.count))};
}

WarmUp PointRun::warm(Operation& operation) {
    // Of the time that a run with --budget has for the point, most is for what it keeps.
    constexpr std::int64_t warm_up_part = 4;
    DisseminationBarrier barrier(team_.group());
    return settings_.warmup
               ? warm_up_by(team_.group(), *bench_.local.clock, barrier, operation, *settings_.warmup)
               : warm_up(team_.group(), *bench_.local.clock, barrier, operation,
                         Nanoseconds{most_.count / warm_up_part});
}

void PointRun::set_up_loop(const WarmUp& warmth) {
    const Nanoseconds longest{warmth.longest.count * settings_.in_a_row};
    start_ = make_start(longest);
    rule_ = make_rule();
    LoopEvents events;
    events.deliver = [this](journal::SampleBlock block) {
        block.point = point_.index;
        block.rank = team_.world_rank(block.rank);
        end_.samples += block.count;
        emit(block);
    };
    events.disturbed = [this](journal::Disturbance stretch) {
        stretch.point = point_.index;
        stretch.rank = team_.world_rank(stretch.rank);
        emit(stretch);
    };
    events.counted = [this](journal::EvidenceBlock block) {
        block.point = point_.index;
        block.rank = team_.world_rank(block.rank);
        emit(block);
    };
    if (bench_.compare_clocks_if_unsure || numbers_) {
        events.pause = [this](Nanoseconds per_call) {
            if (bench_.compare_clocks_if_unsure) {
                bench_.compare_clocks_if_unsure(team_, per_call);
            }
            deliver_trace(*operation_);
        };
    }
    // With more ranks or threads than cores they wait for each other all the time, and so does a rank for a
    // thread of its own on its one core: that is not worth a warning.
    const bool shares_core =
        point_.key.progress == plan::progress_thread && machine::processors_in(machine::binding()) < 2;
    if (bench_.run_delay != nullptr && bench_.run_delay->known() && !crowded_ && !shares_core) {
        events.waited = [this] { return bench_.run_delay->read(); };
    }
    auto subtracted = bench_.empty;
    if (settings_.finish == plan::Finish::mpi_barrier) {
        mpi::MpiBarrier barrier(team_.measured());
        const auto time = barrier_time(*bench_.local.clock, barrier, bench_.empty);
        tally_[journal::finish_barrier_tally] = static_cast<double>(time.count);
        subtracted = subtracted + time;
    }
    const LoopTimes times{.first_rank_only = info_.of_two() && team_.groups() == 1,
                          .odd_only = info_.kind == plan::Kind::duplex,
                          .exact = mpi::simulated,
                          .empty = subtracted,
                          .expected = longest};
    loop_.emplace(team_.group(), *bench_.local.clock, *rule_, limits(longest), times, std::move(events),
                  counters());
}

/// Between hosts, the first rank on each reads for its network.
LoopCounters PointRun::counters() {
    if (bench_.counters == nullptr || settings_.counters == plan::Counters::off) {
        return {};
    }
    const auto& hosts = team_.hosts();
    const auto rank = team_.group().rank();
    const auto own = hosts[static_cast<std::size_t>(rank)];
    const auto first = std::find(hosts.begin(), hosts.end(), own) - hosts.begin();
    const bool several = std::any_of(hosts.begin(), hosts.end(), [&](int host) { return host != own; });
    return {.of = bench_.counters, .network = several && first == rank};
}

/// Automatic announces starts on the global clock. A pair's own messages keep it in step, unless there are
/// several groups, and a matrix is made of pairs; a target that works has to start with the origin. With more
/// ranks than cores no clock helps, a barrier at least waits for everybody.
plan::StartMode PointRun::start_mode() const {
    if (settings_.start != plan::StartMode::automatic) {
        return settings_.start;
    }
    const bool pair_in_step = info_.of_two() && !info_.overlaps() && !target_works();
    const bool in_step = team_.groups() == 1 && (pair_in_step || info_.kind == plan::Kind::matrix ||
                                                 info_.kind == plan::Kind::single);
    return in_step                             ? plan::StartMode::none
           : team_.oversubscription().anywhere ? plan::StartMode::barrier
                                               : plan::StartMode::roundtime;
}

std::unique_ptr<Start> PointRun::make_start(Nanoseconds longest) const {
    auto& group = team_.group();
    const auto& clock = *bench_.local.clock;
    switch (start_mode_) {
        case plan::StartMode::none:
            return std::make_unique<NoStart>();
        case plan::StartMode::barrier:
            return std::make_unique<DisseminationBarrier>(group);
        case plan::StartMode::mpi_barrier:
            return std::make_unique<mpi::MpiBarrier>(team_.joint());
        case plan::StartMode::window: {
            constexpr std::int64_t head_room = 2;
            return std::make_unique<Window>(group, clock, bench_.keeper.model(),
                                            Nanoseconds{head_room * longest.count});
        }
        case plan::StartMode::roundtime:
        case plan::StartMode::automatic:
            break;
    }
    return std::make_unique<RoundTime>(group, clock, bench_.keeper.model(), longest);
}

std::unique_ptr<stats::StopRule> PointRun::make_rule() const {
    // What launches have in common is more precise than each of them, by the root of their number.
    const double goal = settings_.precision_percent / 100 / std::sqrt(bench_.effort);
    if (info_.kind == plan::Kind::matrix) {
        return stats::fixed_rule(matrix_limits({0}).max_reps);
    }
    if (settings_.reps || settings_.stop == plan::StopMode::fixed) {
        return stats::fixed_rule(settings_.reps.value_or(settings_.max_reps));
    }
    return settings_.stop == plan::StopMode::skampi
               ? stats::skampi_rule(goal, static_cast<double>(bench_.local.place.resolution.count))
               : stats::median_ci_rule(goal);
}

LoopLimits PointRun::limits(Nanoseconds longest) const {
    if (info_.kind == plan::Kind::matrix) {
        return matrix_limits(longest);
    }
    if (settings_.reps) {
        return {.min_reps = *settings_.reps,
                .max_reps = *settings_.reps,
                .budget = {INT64_MAX},
                .most_in_series = most_in_series_};
    }
    constexpr std::int64_t ns_per_ms = 1'000'000;
    return {.min_reps = std::min(part_of(settings_.min_reps), settings_.max_reps),
            .max_reps = settings_.max_reps,
            .budget = budget(),
            .least = {mpi::simulated ? 0 : part_of(settings_.point_least_ms * ns_per_ms)},
            // With more ranks or threads than cores, preemption is part of what is measured.
            .leave_out_preempted = settings_.stop == plan::StopMode::median_ci && !crowded_,
            .most_in_series = most_in_series_};
}

/// This launch's part of a number that all launches share.
std::int64_t PointRun::part_of(std::int64_t whole) const {
    return static_cast<std::int64_t>(std::ceil(static_cast<double>(whole) * bench_.effort));
}

/// For the repetitions of the point in this launch.
Nanoseconds PointRun::budget() const {
    constexpr std::int64_t ns_per_ms = 1'000'000;
    return std::min(most_, Nanoseconds{part_of(settings_.point_budget_ms * ns_per_ms)});
}

/// Every pair meets equally often, and at least three times.
LoopLimits PointRun::matrix_limits(Nanoseconds longest) const {
    constexpr std::int64_t least_meetings = 3;
    constexpr std::int64_t usual = 30;
    constexpr std::int64_t with_handshakes = 4;  // meetings take longer than their timed part
    const auto rounds = plan::PairSchedule(team_.hosts(), settings_.operation.contended).rounds();
    const auto meetings =
        settings_.reps.value_or(mpi::simulated ? least_meetings : std::max(least_meetings, part_of(usual)));
    return {.min_reps = rounds * meetings,
            .max_reps = rounds * meetings,
            .budget = {settings_.reps ? INT64_MAX
                                      : std::max(budget().count,
                                                 least_meetings * with_handshakes * rounds * longest.count)},
            .before_budget = rounds * std::min(meetings, least_meetings)};
}

/// What a reader of the result should know.
void PointRun::note_remarks(const WarmUp& warmth, const Operation& operation) {
    const auto& result = loop_->result();
    std::vector<std::string> remarks;
    // Of one launch among several the goal does not say much: that of all is seen in their interval.
    if (result.end != LoopResult::End::goal && bench_.effort == 1) {
        const char* limit =
            result.end == LoopResult::End::budget ? "time (--point-budget)" : "repetitions (--max-reps)";
        remarks.push_back(rule_->reached()
                              ? fmt::format("stopped at the limit of {} before --min-reps", limit)
                              : fmt::format("stopped at the limit of {} before its goal{}{}", limit,
                                            rule_->state().empty() ? "" : ": ", rule_->state()));
    }
    if (!warmth.stationary) {
        remarks.push_back(fmt::format("times were still changing after {} warm-up calls", warmth.calls));
    }
    if (settings_.cache == plan::Cache::cold && region().count == 0) {
        remarks.emplace_back(
            "a simulated platform has no caches, so the data were neither in nor out of one");
    }
    const bool own = !point_.key.implementation.empty();
    if (const auto remark = own ? team_.group().first_of(operation.remark()) : ""; !remark.empty()) {
        remarks.push_back(remark);
    }
    end_.remark = fmt::format("{}", fmt::join(remarks, "; "));
}

/// Memory that message data wander through: twice the last-level cache, or what is larger than any.
Bytes PointRun::region() const {
    if (settings_.cache == plan::Cache::warm || mpi::simulated) {
        return {0};
    }
    constexpr Bytes where_unknown{64LL * 1024 * 1024};
    const auto cache = machine::last_level_cache();
    return cache.count > 0 ? Bytes{2 * cache.count} : where_unknown;
}

/// Whether the target of one-sided calls computes while it is accessed.
bool PointRun::target_works() const {
    return info_.has_passive_target() && settings_.operation.target == plan::Target::working;
}

/// Why the library has no progress thread for this point; empty if it has one or none is requested.
/// Collective over the team.
std::string PointRun::lack_of_progress_thread() const {
    if (point_.key.progress != plan::progress_thread) {
        return {};
    }
    const auto& hosts = team_.hosts();
    const bool one_host = std::equal(hosts.begin() + 1, hosts.end(), hosts.begin());
    if (bench_.progress.lack.empty() && bench_.progress.between_hosts_only && one_host) {
        return "no progress thread: Open MPI has one for TCP only, and these processes share memory";
    }
    return bench_.progress.lack.empty() ? "" : "no progress thread: " + bench_.progress.lack;
}

/// Makes the operation, or says why not. Groups do it one after the other: Open MPI names the file behind a
/// window by the number of the communicator, which two groups on a host may share.
std::string PointRun::make(std::unique_ptr<Operation>& operation) const {
    // What the whole team finds out together. The least memory of all ranks, so that none gives up while
    // others wait for it in a collective call.
    const Provision provision{
        .memory_share = -team_.group().largest(-(free_memory_bytes() / team_.oversubscription().ranks_here)),
        .hosts = info_.is(plan::Fact::in_pairs) || info_.kind == plan::Kind::matrix
                     ? team_.hosts_of_group(team_.first_of_group())
                     : std::vector<int>{},
        .lack = lack_of_progress_thread()};
    std::string lack;
    for (int first = 0; first < team_.group().size(); first += team_.ranks_in_group()) {
        if (first == team_.first_of_group()) {
            lack = make_in_group(operation, provision);
        }
        if (team_.groups() > 1) {
            (void)team_.group().largest(0);
        }
    }
    return lack;
}

std::string PointRun::make_in_group(std::unique_ptr<Operation>& operation, const Provision& provision) const {
    const auto share = provision.memory_share;
    // A region holds whole slices, and one more than fit.
    const Bytes wanted{region().count > 0 ? 2 * point_.key.size.count + region().count
                                          : point_.key.size.count};
    const auto needs = [&] { return fmt::format("needs two buffers of {} on every rank", to_text(wanted)); };
    try {
        if (!provision.lack.empty()) {
            throw Unavailable(provision.lack);
        }
        const auto* const tree = tree_of_point();
        if (target_works() && start_mode_ == plan::StartMode::none) {
            throw Unavailable(
                "a working target (--target) works from the start of a repetition, which --start none "
                "does not set");
        }
        if (wanted.count > share / 2) {
            throw Unavailable(fmt::format("{}, and {} are free for each of {} ranks here", needs(),
                                          to_text(Bytes{share}), team_.oversubscription().ranks_here));
        }
        operation = make_operation(point_.key.operation,
                                   {.communicator = communicator(),
                                    .rank = team_.group().rank() - team_.first_of_group(),
                                    .procs = team_.ranks_in_group(),
                                    .size = point_.key.size,
                                    .seed = static_cast<std::uint64_t>(settings_.seed),
                                    .region = region(),
                                    .rotate_root = settings_.root == plan::RootMode::rotating,
                                    .memory = {share},
                                    .settings = settings_.operation,
                                    .hosts = provision.hosts,
                                    .clock = bench_.local.clock.get(),
                                    .tree = tree,
                                    .reference = reference_of_point(),
                                    .trace = tree != nullptr ? settings_.trace : plan::TraceSettings{}});
    } catch (const Unavailable& error) {
        return Refusal{journal::PointStatus::unavailable, error.what()}.text();
    } catch (const BadInput& error) {  // an implementation that this version does not have
        return Refusal{journal::PointStatus::unavailable, error.what()}.text();
    } catch (const std::bad_alloc&) {
        return Refusal{journal::PointStatus::unavailable, needs() + ", which could not be allocated"}.text();
    }
    return {};
}

/// A call of each kind with checked data, outside the timed ones.
std::optional<Refusal> PointRun::verified(Operation& operation, const char* when) {
    if (!settings_.verify) {
        return std::nullopt;
    }
    DisseminationBarrier barrier(team_.group());
    std::string wrong;
    for (std::int64_t rep = 0; rep < operation.cycle(); ++rep) {
        operation.next(rep);
        operation.prepare_check();
        barrier.align();
        operation.call();
        barrier.align();  // what others wrote into this rank's memory is there
        spoil_if_asked(operation, team_.world_rank(team_.group().rank()));
        const auto found = operation.check();
        wrong = wrong.empty() ? found : wrong;
    }
    if (!wrong.empty()) {
        wrong =
            Refusal{journal::PointStatus::failed, fmt::format("wrong data {} timing on rank {}: {}", when,
                                                              team_.world_rank(team_.group().rank()), wrong)}
                .text();
    }
    return Refusal::from(team_.group().first_of(wrong));
}

}  // namespace fathom::probe

// Complete small programs, as users run them: what MPI costs next to the computation.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <memory>
#include <numbers>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "probe/mpi/check.hpp"
#include "probe/mpi/flavour.hpp"
#include "probe/ops/data.hpp"
#include "probe/ops/implementation.hpp"
#include "probe/ops/registry.hpp"
#include "probe/ops/work.hpp"

namespace fathom::probe {
namespace {

/// Kernels reuse their data.
void refuse_region(const OperationContext& context) {
    if (context.region.count > 0) {
        throw Unavailable("a kernel reuses its data, so the cache cannot be cold");
    }
}

/// Time by what it was spent on, from one reading of the clock to the next.
class Stages {
  public:
    explicit Stages(const Clock& clock) : clock_(clock) {}

    void begin() {
        begin_ = clock_.now();
        last_ = begin_;
    }
    /// What went by since the last reading belongs to `sum_ns`.
    void charge(std::int64_t& sum_ns) {
        const auto now = clock_.now();
        sum_ns += (now - last_).count;
        last_ = now;
    }
    /// Since begin(), up to the last reading.
    [[nodiscard]] std::int64_t total_ns() const { return (last_ - begin_).count; }

  private:
    const Clock& clock_;
    Nanoseconds begin_;
    Nanoseconds last_;
};

/// Rows of a grid that a rank has.
struct Strip {
    std::int64_t first = 0;
    std::int64_t count = 0;
};

/// The last rank has `imbalance_percent` more than an even share, the others the rest; all have one at least.
Strip strip_of(std::int64_t rows, const OperationContext& context) {
    if (rows < context.procs) {
        throw Unavailable(fmt::format("a grid of {} rows is too small for {} ranks", rows, context.procs));
    }
    constexpr double percent = 100;
    const std::int64_t others = context.procs - 1;
    const double even = static_cast<double>(rows) / context.procs;
    const auto wanted = std::llround(even * (1 + context.settings.imbalance_percent / percent));
    const auto last = others == 0 ? rows : std::clamp<std::int64_t>(wanted, 1, rows - others);
    if (context.rank == others) {
        return {.first = rows - last, .count = last};
    }
    const auto first_of = [&](std::int64_t rank) { return rank * (rows - last) / others; };
    return {.first = first_of(context.rank), .count = first_of(context.rank + 1) - first_of(context.rank)};
}

/// Laplace's equation on the unit square by red-black successive over-relaxation. A repetition is a solution
/// from the same guess on. Points of one colour depend on the other colour only, so that all numbers, and the
/// iterations it takes, are the same however many ranks share the rows.
class Sor : public Operation {
  public:
    explicit Sor(const OperationContext& context)
        : context_(context),
          side_(context.settings.grid),
          strip_(strip_of(side_, context)),
          omega_(2 / (1 + std::sin(std::numbers::pi / static_cast<double>(side_ + 1)))),
          points_(memory_on_all_ranks()),
          own_(make_implementation(without_threads(context), context.communicator, Bytes{sizeof(double)},
                                   MPI_DOUBLE)),
          stages_(*context.clock) {
        guess();
        iterations_ = solve();
        take_tally();
    }

    void call() override { solved_in_ = solve(); }
    void next(std::int64_t /*rep*/) override { guess(); }
    [[nodiscard]] std::int64_t parts() const override { return iterations_; }
    [[nodiscard]] Traced* traced() override { return context_.trace.every > 0 ? own_.get() : nullptr; }
    [[nodiscard]] std::string remark() const override { return remark_of(own_.get()); }

    void prepare_check() override {
        guess();
        solved_in_ = 0;
    }

    [[nodiscard]] std::string check() const override {
        // The error falls by the factor `omega - 1` an iteration: where that changes numbers by less than the
        // tolerance, what is left is about the sum of that series. Twice that is never reached.
        const double allowed = 2 * tolerance / (2 - omega_);
        double worst = 0;
        std::string wrong;
        for (std::int64_t row = 1; row <= strip_.count; ++row) {
            for (std::int64_t column = 1; column <= side_; ++column) {
                const double found = points_[at(row, column)];
                const double error = std::abs(found - exact(row, column));
                if (!(error <= allowed) && !(error <= worst)) {
                    worst = error;
                    wrong = fmt::format("row {}, column {} is {}, expected {} within {:.2g}",
                                        strip_.first + row, column, found, exact(row, column), allowed);
                }
            }
        }
        if (wrong.empty() && solved_in_ != iterations_) {
            return fmt::format("took {} iterations, and {} the first time", solved_in_, iterations_);
        }
        return wrong;
    }

    /// Lower bits of a number may well be changed without an error larger than that of the method: the byte
    /// of a number's sign and exponent may not.
    [[nodiscard]] std::span<std::byte> received() override {
        auto& middle = points_[at((strip_.count + 1) / 2, (side_ + 1) / 2)];
        const auto bytes = std::as_writable_bytes(std::span(&middle, 1));
        return std::endian::native == std::endian::little ? bytes.last(1) : bytes.first(1);
    }

    Tally take_tally() override {
        Tally tally{{"compute_ns", static_cast<double>(compute_ns_)},
                    {"point_to_point_ns", static_cast<double>(point_to_point_ns_)},
                    {"allreduce_ns", static_cast<double>(allreduce_ns_)},
                    {"total_ns", static_cast<double>(total_ns_)}};
        compute_ns_ = point_to_point_ns_ = allreduce_ns_ = total_ns_ = 0;
        return tally;
    }

  private:
    static constexpr double tolerance = 1e-6;  // of the largest change in an iteration
    static constexpr int tag = 17;

    static const OperationContext& without_threads(const OperationContext& context) {
        if (contributors_of(context).all > context.procs) {
            throw Unavailable(
                "kernel.sor computes in one thread of each rank; take a tree with one leaf for each rank");
        }
        return context;
    }

    /// All ranks have it or none goes on: the first solution takes all.
    [[nodiscard]] std::vector<double> memory_on_all_ranks() const {
        refuse_region(context_);
        const auto count = static_cast<std::size_t>((strip_.count + 2) * width());
        const Bytes needed{static_cast<std::int64_t>(count * sizeof(double))};
        std::vector<double> points;
        int mine = 0;
        if (needed <= context_.memory) {
            try {
                points.resize(count);
                mine = 1;
            } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): all ranks are informed below
            }
        }
        int all = 0;
        FATHOM_MPI(MPI_Allreduce, &mine, &all, 1, MPI_INT, MPI_MIN, context_.communicator);
        if (all == 0) {
            throw Unavailable(
                fmt::format("a grid of {} x {} needs {} on rank {} alone, and not every "
                            "rank has memory for its part",
                            side_, side_, to_text(needed), context_.rank));
        }
        return points;
    }

    [[nodiscard]] std::int64_t width() const { return side_ + 2; }
    /// Row 0 and the last are those of neighbours or of the edge, and so are columns.
    [[nodiscard]] std::size_t at(std::int64_t row, std::int64_t column) const {
        return static_cast<std::size_t>(row * width() + column);
    }
    /// A polynomial that Laplace's equation and the difference scheme share; never near 0.
    [[nodiscard]] double exact(std::int64_t row, std::int64_t column) const {
        const double step = 1 / static_cast<double>(side_ + 1);
        const double x = static_cast<double>(column) * step;
        const double y = static_cast<double>(strip_.first + row) * step;
        return 2 + x * x - y * y + x * y;
    }

    /// 0 but for the edge of the square.
    void guess() {
        std::fill(points_.begin(), points_.end(), 0.0);
        for (std::int64_t row = 0; row <= strip_.count + 1; ++row) {
            points_[at(row, 0)] = exact(row, 0);
            points_[at(row, side_ + 1)] = exact(row, side_ + 1);
        }
        for (std::int64_t column = 1; column <= side_; ++column) {
            if (strip_.first == 0) {
                points_[at(0, column)] = exact(0, column);
            }
            if (strip_.first + strip_.count == side_) {
                points_[at(strip_.count + 1, column)] = exact(strip_.count + 1, column);
            }
        }
    }

    /// Iterates until nothing changes any more, and says how often.
    std::int64_t solve() {
        std::int64_t iterations = 0;
        double change = tolerance;
        stages_.begin();
        while (change >= tolerance) {
            double own_change = 0;
            for (const int colour : {0, 1}) {
                own_change = std::max(own_change, relax(colour));
                stages_.charge(compute_ns_);
                exchange_rows();
                stages_.charge(point_to_point_ns_);
            }
            mpi::check(
                allreduce_by(own_.get(), &own_change, &change, 1, MPI_DOUBLE, MPI_MAX, context_.communicator),
                "MPI_Allreduce");
            stages_.charge(allreduce_ns_);
            ++iterations;
        }
        total_ns_ += stages_.total_ns();
        return iterations;
    }

    /// Takes every second point nearer to the mean of its neighbours; the largest change.
    double relax(int colour) {
        constexpr double quarter = 0.25;
        double largest = 0;
        for (std::int64_t row = 1; row <= strip_.count; ++row) {
            double* const here = &points_[at(row, 0)];
            const double* const above = here - width();
            const double* const below = here + width();
            for (std::int64_t i = 1 + (strip_.first + row + colour) % 2; i <= side_; i += 2) {
                const double mean = quarter * (above[i] + below[i] + here[i - 1] + here[i + 1]);
                const double change = omega_ * (mean - here[i]);
                here[i] += change;
                largest = std::max(largest, std::abs(change));
            }
        }
        if constexpr (mpi::simulated) {
            // Computing takes no simulated time by itself, and an uneven share would not show.
            constexpr std::int64_t ns_per_point = 1;
            work_for(*context_.clock, {strip_.count * side_ / 2 * ns_per_point});
        }
        return largest;
    }

    /// Rows at the borders of strips, to the neighbour above and to that below.
    void exchange_rows() {
        const int above = context_.rank == 0 ? MPI_PROC_NULL : context_.rank - 1;
        const int below = context_.rank == context_.procs - 1 ? MPI_PROC_NULL : context_.rank + 1;
        shift(1, above, strip_.count + 1, below);
        shift(strip_.count, below, 0, above);
    }
    void shift(std::int64_t sent_row, int to, std::int64_t received_row, int from) {
        const auto count = static_cast<int>(side_);
        FATHOM_MPI(MPI_Sendrecv, &points_[at(sent_row, 1)], count, MPI_DOUBLE, to, tag,
                   &points_[at(received_row, 1)], count, MPI_DOUBLE, from, tag, context_.communicator,
                   MPI_STATUS_IGNORE);
    }

    OperationContext context_;
    std::int64_t side_;  // inner points
    Strip strip_;
    double omega_;  // the best for this grid
    std::vector<double> points_;
    std::unique_ptr<Implementation> own_;  // where the library does not perform the allreduce
    Stages stages_;
    std::int64_t iterations_ = 0;
    std::int64_t solved_in_ = 0;
    std::int64_t compute_ns_ = 0;
    std::int64_t point_to_point_ns_ = 0;
    std::int64_t allreduce_ns_ = 0;
    std::int64_t total_ns_ = 0;
};

/// Two communicators of the same ranks.
class TwoCopies {
  public:
    explicit TwoCopies(MPI_Comm original) {
        for (auto& copy : copies_) {
            FATHOM_MPI(MPI_Comm_dup, original, &copy);
        }
    }
    TwoCopies(const TwoCopies&) = delete;
    TwoCopies& operator=(const TwoCopies&) = delete;
    ~TwoCopies() {
        for (auto& copy : copies_) {
            MPI_Comm_free(&copy);
        }
    }
    [[nodiscard]] MPI_Comm operator[](std::size_t which) const { return copies_.at(which); }

  private:
    std::array<MPI_Comm, 2> copies_{MPI_COMM_NULL, MPI_COMM_NULL};
};

/// Calls that two implementations make in turn, `calls` of them in each series, as one sequence.
class InTurn : public Traced {
  public:
    InTurn(Implementation& first, Implementation& second, std::int64_t calls)
        : both_{&first, &second}, calls_(calls) {}

    [[nodiscard]] std::int64_t calls() const override { return both_[0]->calls() + both_[1]->calls(); }
    [[nodiscard]] std::int64_t events_per_call() const override { return both_[0]->events_per_call(); }
    void begin_trace() override {
        both_[0]->begin_trace();
        both_[1]->begin_trace();
    }
    Trace take_trace() override {
        auto trace = numbered(both_[0]->take_trace(), 0);
        auto other = numbered(both_[1]->take_trace(), 1);
        std::vector<journal::CallEvent> events;
        events.reserve(trace.events.size() + other.events.size());
        std::ranges::merge(trace.events, other.events, std::back_inserter(events), {},
                           &journal::CallEvent::call, &journal::CallEvent::call);
        return {.events = std::move(events), .dropped = trace.dropped + other.dropped};
    }

  private:
    /// The numbers of one side's calls in the whole sequence: of an odd series, the first makes one more.
    [[nodiscard]] Trace numbered(Trace trace, std::int64_t side) const {
        const std::int64_t of_side = (calls_ + 1 - side) / 2;
        for (auto& event : trace.events) {
            event.call = event.call / of_side * calls_ + event.call % of_side * 2 + side;
        }
        return trace;
    }

    std::array<Implementation*, 2> both_;
    std::int64_t calls_;
};

/// A series of sums of as many numbers as there are contributors: ranks, or their threads where a tree has
/// leaves for them. Over two communicators in turn; each has sums of its own. Small whole numbers: the sums
/// are exact.
class Gsum : public Operation {
  public:
    explicit Gsum(const OperationContext& context)
        : context_(without_region(context)),
          contributors_(contributors_of(context)),
          communicators_(context.communicator),
          summands_(context.seed, contributors_.all),
          data_(static_cast<std::size_t>(contributors_.own)),
          own_{make_own(0), make_own(1)},
          threads_(make_leaf_threads(own_[0].get())),
          stages_(*context.clock) {
        for (auto& data : data_) {
            data.numbers.resize(count());
            data.sums.resize(count() * sides());
        }
        if (own_[0] && context.trace.every > 0) {
            traced_.emplace(*own_[0], *own_[1], context.settings.iterations);
        }
        Gsum::prepare_check();
    }

    void call() override {
        stages_.begin();
        threads_->perform([this](int thread) { add_up(thread); });
        stages_.charge(allreduce_ns_);
    }
    void next(std::int64_t /*rep*/) override { threads_->alert(); }

    [[nodiscard]] std::int64_t parts() const override { return context_.settings.iterations; }
    [[nodiscard]] Traced* traced() override { return traced_ ? &*traced_ : nullptr; }
    [[nodiscard]] std::string remark() const override { return remark_of(own_[0].get()); }
    [[nodiscard]] bool shares_cores() const override { return threads_share_cores(own_[0].get()); }

    void prepare_check() override {
        int contributor = contributors_.first;
        for (auto& data : data_) {
            for (std::size_t i = 0; i < data.numbers.size(); ++i) {
                data.numbers[i] = summands_.of_rank(contributor, i);
            }
            for (std::size_t i = 0; i < data.sums.size(); ++i) {
                data.sums[i] = expected(i) + 1;
            }
            ++contributor;
        }
    }

    [[nodiscard]] std::string check() const override {
        for (int thread = 0; thread < contributors_.own; ++thread) {
            const auto& sums = data_[static_cast<std::size_t>(thread)].sums;
            for (std::size_t i = 0; i < sums.size(); ++i) {
                const double right = expected(i);
                if (!same_bits(sums[i], right)) {
                    return in_thread(thread, fmt::format("sum {} over communicator {} is {}, expected {}",
                                                         i % count(), i / count(), sums[i], right));
                }
            }
        }
        return {};
    }

    [[nodiscard]] std::span<std::byte> received() override {
        return std::as_writable_bytes(std::span(data_.back().sums));
    }

    /// All of it is sums: to read the clock around each would take a notable part of its time.
    Tally take_tally() override {
        const auto spent = static_cast<double>(allreduce_ns_);
        allreduce_ns_ = 0;
        return {{"allreduce_ns", spent}, {"total_ns", spent}};
    }

    [[nodiscard]] std::string datatype() const override { return "double"; }

  private:
    /// Of one thread.
    struct Data {
        std::vector<double> numbers;
        std::vector<double> sums;
    };

    static const OperationContext& without_region(const OperationContext& context) {
        refuse_region(context);
        return context;
    }
    [[nodiscard]] std::unique_ptr<Implementation> make_own(std::size_t side) const {
        return make_implementation(context_, communicators_[side],
                                   Bytes{static_cast<std::int64_t>(count() * sizeof(double))}, MPI_DOUBLE);
    }

    void add_up(int thread) {
        auto& data = data_[static_cast<std::size_t>(thread)];
        const auto numbers = static_cast<int>(count());
        for (std::int64_t i = 0; i < context_.settings.iterations; ++i) {
            const auto side = static_cast<std::size_t>(i % 2);
            double* const sums = data.sums.data() + side * count();
            auto* const own = own_[side].get();
            mpi::check(own != nullptr
                           ? own->allreduce(thread, data.numbers.data(), sums, numbers, MPI_DOUBLE, MPI_SUM)
                           : MPI_Allreduce(data.numbers.data(), sums, numbers, MPI_DOUBLE, MPI_SUM,
                                           communicators_[side]),
                       "MPI_Allreduce");
        }
    }

    [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(contributors_.all); }
    /// A single sum uses one communicator only.
    [[nodiscard]] std::size_t sides() const { return context_.settings.iterations > 1 ? 2 : 1; }
    [[nodiscard]] double expected(std::size_t index) const {
        return static_cast<double>(summands_.sum(index % count()));
    }

    OperationContext context_;
    Contributors contributors_;
    TwoCopies communicators_;
    Summands summands_;
    std::vector<Data> data_;
    std::array<std::unique_ptr<Implementation>, 2> own_;  // where the library does not perform the sums
    std::unique_ptr<LeafThreads> threads_;
    std::optional<InTurn> traced_;
    Stages stages_;
    std::int64_t allreduce_ns_ = 0;
};

template <typename Kernel>
std::unique_ptr<Operation> kernel_maker(const OperationContext& context) {
    return std::make_unique<Kernel>(context);
}

struct KernelRow {
    std::string_view name;
    std::unique_ptr<Operation> (*make)(const OperationContext& context);
};

constexpr auto kernels =
    std::to_array<KernelRow>({{"kernel.sor", kernel_maker<Sor>}, {"kernel.gsum", kernel_maker<Gsum>}});

}  // namespace

std::unique_ptr<Operation> make_kernel(const plan::OperationInfo& info, const OperationContext& context) {
    const auto* const row = std::ranges::find(kernels, info.call, &KernelRow::name);
    return row == kernels.end() ? nullptr : row->make(context);
}

}  // namespace fathom::probe

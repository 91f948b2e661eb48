// One-sided calls as a table, combined with each way to synchronise: rank 0 of two is the origin,
// rank 1 the target.
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "probe/mpi/byte_message.hpp"
#include "probe/mpi/check.hpp"
#include "probe/ops/buffer.hpp"
#include "probe/ops/data.hpp"
#include "probe/ops/registry.hpp"
#include "probe/ops/rma.hpp"
#include "probe/ops/synchronisation.hpp"
#include "probe/ops/work.hpp"

namespace fathom::probe {
namespace {

constexpr int origin = 0;
constexpr int target = 1;

/// What becomes of the window's contents.
enum class Change { none, replaced, added, swapped };

struct OneSidedCall {
    std::string_view name;
    bool gives;   ///< the origin brings data along
    bool result;  ///< the origin gets what was in the window
    Change change;
    bool one_number;
    std::unique_ptr<Operation> (*make)(const OperationContext& context, const OneSidedCall& row,
                                       plan::Synchronisation synchronise);
};

int put(const OneSidedArguments& a) {
    return MPI_Put(a.given, a.count, a.type, target, a.place, a.count, a.type, a.window);
}
int get(const OneSidedArguments& a) {
    return MPI_Get(a.result, a.count, a.type, target, a.place, a.count, a.type, a.window);
}
int accumulate(const OneSidedArguments& a) {
    return MPI_Accumulate(a.given, a.count, a.type, target, a.place, a.count, a.type, MPI_SUM, a.window);
}
int get_accumulate(const OneSidedArguments& a) {
    return MPI_Get_accumulate(a.given, a.count, a.type, a.result, a.count, a.type, target, a.place, a.count,
                              a.type, MPI_SUM, a.window);
}
int fetch_and_op(const OneSidedArguments& a) {
    return MPI_Fetch_and_op(a.given, a.result, a.type, target, a.place, MPI_SUM, a.window);
}
int compare_and_swap(const OneSidedArguments& a) {
    return MPI_Compare_and_swap(a.given, a.compared, a.result, a.type, target, a.place, a.window);
}

const WindowKind& kind(const OperationContext& context) {
    return window_kind(context.settings.window_memory);
}

/// The component of Open MPI that serves a window names it.
[[maybe_unused]] std::string name_of_window(const OperationContext& context) {
    const WindowSlices one_number({sizeof(std::int64_t)}, {0});
    const RmaWindow window(context.communicator, kind(context), one_number, Buffer(one_number.total()));
    std::array<char, MPI_MAX_OBJECT_NAME + 1> name{};
    int length = 0;
    FATHOM_MPI(MPI_Win_get_name, window.handle(), name.data(), &length);
    return {name.data(), static_cast<std::size_t>(length)};
}

/// A call that would end the job is refused: Open MPI 4 crashes in a 64-bit swap when its component osc/rdma
/// goes through shared memory (its issue 11349).
void require_swaps([[maybe_unused]] const OperationContext& context) {
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
    require_window_kind(kind(context), context.communicator);
    if (name_of_window(context).starts_with("rdma") && on_one_host(context.communicator)) {
        throw Unavailable(
            "this version of Open MPI crashes in 64-bit swaps within a host; --window-memory shared or "
            "OMPI_MCA_osc=^rdma in the environment avoids that");
    }
#endif
}

/// What both sides hold in memory of their own.
struct OneSidedBuffers {
    Buffer given;
    Buffer result;
    Buffer exposed;
};

/// A one-sided call and a synchronisation, with the window between the two ranks. Performed adds the call.
class OneSided : public Operation {
  public:
    void next(std::int64_t /*rep*/) override { move_on(); }

    /// Where the target makes no calls of its own, it is here during the whole series: most libraries perform
    /// the calls of the origin only while it is in one of theirs.
    void end_series() override {
        if (passive_) {
            FATHOM_MPI(MPI_Barrier, context_.communicator);
        }
    }

    [[nodiscard]] std::span<std::byte> received() override {
        if (context_.rank == origin) {
            return row_.result ? result() : std::span<std::byte>();
        }
        return row_.change != Change::none ? window_.bytes() : std::span<std::byte>();
    }

  protected:
    OneSided(const OperationContext& context, const OneSidedCall& row, plan::Synchronisation synchronise,
             int count, MPI_Datatype type, Bytes size)
        : context_(context),
          row_(row),
          count_(count),
          type_(type),
          slices_(size, context.region),
          buffers_(taken(context, row, slices_, size)),
          window_(context.communicator, kind(context), slices_, std::move(buffers_.exposed)),
          synchronisation_(make_synchronisation(
              synchronise,
              {.window = window_.handle(), .communicator = context.communicator, .own = context.rank})),
          passive_(plan::passive_target(synchronise)),
          arguments_(arguments()) {}

    /// Once in each slice, so that all memory is there before anything is timed.
    template <typename Prepare>
    void in_all_slices(Prepare prepare) {
        for (std::size_t slice = 0; slice < slices_.count; ++slice) {
            prepare();
            move_on();
        }
    }

    /// True if the memory is the first again.
    bool move_on() {
        if (slices_.count == 1) {
            return true;
        }
        buffers_.given.next();
        buffers_.result.next();
        const bool first_again = window_.next();
        arguments_ = arguments();
        return first_again;
    }

    /// Work on this rank's own window memory.
    template <typename Work>
    auto in_window(Work work) const {
        synchronisation_->begin_local();
        auto done = work(window_.bytes());
        synchronisation_->end_local();
        return done;
    }

    void compare_with(void* compared) {
        compared_ = compared;
        arguments_ = arguments();
    }

    /// The part of a target: one that works is outside the library from the start of the repetition on.
    void serve() {
        constexpr std::int64_t ns_per_us = 1'000;
        if (passive_ && context_.settings.target == plan::Target::working) {
            work_for(*context_.clock, {context_.settings.target_work_us * ns_per_us});
        } else {
            synchronisation_->serve();
        }
    }

    [[nodiscard]] bool at_origin() const { return context_.rank == origin; }
    /// Whether the next call takes what this one took.
    [[nodiscard]] bool repeats() const { return slices_.count == 1 && row_.change != Change::swapped; }
    [[nodiscard]] const OneSidedArguments& next_arguments() const { return arguments_; }
    [[nodiscard]] Synchronisation& synchronisation() const { return *synchronisation_; }
    [[nodiscard]] const OperationContext& context() const { return context_; }
    [[nodiscard]] const OneSidedCall& row() const { return row_; }
    [[nodiscard]] std::span<std::byte> given() const { return buffers_.given.bytes(); }
    [[nodiscard]] std::span<std::byte> result() const { return buffers_.result.bytes(); }

  private:
    static OneSidedBuffers taken(const OperationContext& context, const OneSidedCall& row,
                                 const WindowSlices& slices, Bytes size) {
        require_window_kind(kind(context), context.communicator);
        const auto parts = (row.gives ? 1 : 0) + (row.result ? 1 : 0) + 1;
        const auto buffer = [&](bool wanted) {
            return Buffer(wanted ? size : Bytes{0}, wanted ? context.region : Bytes{0});
        };
        const bool at_origin = context.rank == origin;
        return take_on_all_ranks(context, Bytes{parts * slices.total().count}, [&] {
            return OneSidedBuffers{.given = buffer(at_origin && row.gives),
                                   .result = buffer(at_origin && row.result),
                                   .exposed = Buffer(kind(context).over_buffer ? slices.total() : Bytes{0})};
        });
    }

    [[nodiscard]] OneSidedArguments arguments() const {
        return {.given = buffers_.given.data(),
                .compared = compared_,
                .result = buffers_.result.data(),
                .count = count_,
                .type = type_,
                .place = window_.place(),
                .window = window_.handle()};
    }

    OperationContext context_;
    const OneSidedCall& row_;
    int count_;
    MPI_Datatype type_;
    WindowSlices slices_;
    OneSidedBuffers buffers_;
    RmaWindow window_;
    std::unique_ptr<Synchronisation> synchronisation_;
    bool passive_;
    void* compared_ = nullptr;
    OneSidedArguments arguments_;  // of the next call: putting them together is not to be timed
};

/// Owns the datatype that the base class hands to MPI: it has to be there first.
struct Message {
    explicit Message(Bytes size) : bytes(size) {}
    mpi::ByteMessage bytes;
};

/// Bytes that are written or read.
class Moved : private Message, public OneSided {
  public:
    Moved(const OperationContext& context, const OneSidedCall& row, plan::Synchronisation synchronise)
        : Message(context.size),
          OneSided(context, row, synchronise, bytes.count(), bytes.datatype(), context.size) {
        in_all_slices([&] { Moved::prepare_check(); });
    }

    void prepare_check() override {
        const bool written = row().change == Change::replaced;
        if (context().rank == target) {
            in_window([&](std::span<std::byte> memory) {
                written ? fill_wrong(memory, context().seed) : fill_pattern(memory, context().seed);
                return true;
            });
        } else {
            written ? fill_pattern(given(), context().seed) : fill_wrong(result(), context().seed);
        }
    }

    [[nodiscard]] std::string check() const override {
        if (context().rank == origin) {
            return row().result ? compare_pattern(result(), context().seed) : std::string();
        }
        return row().change == Change::none ? std::string() : in_window([&](std::span<std::byte> memory) {
            return compare_pattern(memory, context().seed);
        });
    }

    [[nodiscard]] std::string datatype() const override { return "byte"; }
};

/// Numbers that are added or swapped, small and whole so that sums are exact in every type.
template <typename Element>
class Numbers : public OneSided {
  public:
    Numbers(const OperationContext& context, const OneSidedCall& row, plan::Synchronisation synchronise,
            MPI_Datatype type, const char* type_name)
        : OneSided(context, row, synchronise, count_of(context, row, type_name), type, size_of(context, row)),
          type_name_(type_name) {
        compare_with(&compared_);
        in_all_slices([&] { Numbers::prepare_check(); });
        set_swap();
    }

    /// A number that was swapped once is the other one from then on: the two change places when its memory
    /// comes again, so that every swap succeeds.
    void next(std::int64_t /*rep*/) override {
        if (move_on()) {
            swapped_ = !swapped_;
        }
        set_swap();
    }

    void prepare_check() override {
        if (context().rank == target) {
            in_window([&](std::span<std::byte> memory) {
                fill(memory, [&](std::size_t i) { return before(i); });
                return true;
            });
            return;
        }
        fill(given(), [&](std::size_t i) { return brought(i); });
        fill(result(), [&](std::size_t i) { return static_cast<Element>(before(i) + 1); });
        set_swap();
    }

    [[nodiscard]] std::string check() const override {
        if (context().rank == origin) {
            return compare(result(), [&](std::size_t i) { return before(i); });
        }
        return in_window([&](std::span<std::byte> memory) {
            return compare(memory, [&](std::size_t i) { return after(i); });
        });
    }

    [[nodiscard]] std::string datatype() const override { return type_name_; }

  private:
    static Bytes size_of(const OperationContext& context, const OneSidedCall& row) {
        return row.one_number ? Bytes{sizeof(Element)} : context.size;
    }
    static int count_of(const OperationContext& context, const OneSidedCall& row, const char* type_name) {
        const auto size = size_of(context, row).count;
        constexpr auto each = static_cast<std::int64_t>(sizeof(Element));
        if (size % each != 0) {
            throw Unavailable(fmt::format("{} bytes are not a whole number of {}", size, type_name));
        }
        return mpi::as_count(size / each, fmt::format("elements of {}", type_name));
    }

    /// What is in the window before the call, what the origin brings along and what is there afterwards.
    /// Nothing that is brought is 0: it would change nothing.
    [[nodiscard]] Element before(std::size_t index) const {
        return row().change == Change::swapped ? state(swapped_) : small(index, 0);
    }
    [[nodiscard]] Element brought(std::size_t index) const {
        return row().change == Change::swapped ? state(!swapped_) : static_cast<Element>(1 + small(index, 1));
    }
    [[nodiscard]] Element after(std::size_t index) const {
        return static_cast<Element>(row().change == Change::swapped ? brought(index)
                                                                    : before(index) + brought(index));
    }
    [[nodiscard]] Element small(std::size_t index, std::uint64_t stream) const {
        constexpr std::uint64_t cycle = 16;
        return static_cast<Element>(splitmix64(splitmix64(context().seed, stream), index) % cycle);
    }
    /// The two numbers of a swap.
    [[nodiscard]] Element state(bool other) const {
        return static_cast<Element>(splitmix64(context().seed, other ? 1 : 0));
    }
    void set_swap() {
        if (row().change != Change::swapped) {
            return;
        }
        compared_ = before(0);
        if (context().rank == origin) {
            fill(given(), [&](std::size_t i) { return brought(i); });
        }
    }

    template <typename Value>
    static void fill(std::span<std::byte> memory, Value value) {
        auto* const elements = reinterpret_cast<Element*>(memory.data());
        for (std::size_t i = 0; i < memory.size() / sizeof(Element); ++i) {
            elements[i] = value(i);
        }
    }
    template <typename Value>
    static std::string compare(std::span<const std::byte> memory, Value value) {
        const auto* const elements = reinterpret_cast<const Element*>(memory.data());
        for (std::size_t i = 0; i < memory.size() / sizeof(Element); ++i) {
            if (elements[i] != value(i)) {
                return fmt::format("element {} is {}, expected {}", i, elements[i], value(i));
            }
        }
        return {};
    }

    const char* type_name_;
    Element compared_ = 0;
    bool swapped_ = false;
};

/// Calls the library directly, as a plain program does: the call and the scheme are known when this is
/// compiled.
template <typename Kind, auto call_mpi, typename Scheme>
class Performed final : public Kind {
  public:
    using Kind::Kind;

    void call() override {
        if (this->at_origin()) {
            perform(1);
        } else {
            this->serve();
        }
    }

    /// Where nothing changes from call to call, nothing else is between them either.
    void calls(std::int64_t count, std::int64_t rep) override {
        if (this->at_origin() && this->repeats()) {
            perform(count);
        } else {
            Operation::calls(count, rep);
        }
    }

  private:
    void perform(std::int64_t count) {
        auto& scheme = static_cast<Scheme&>(this->synchronisation());
        for (std::int64_t i = 0; i < count; ++i) {
            scheme.begin();
            mpi::check(call_mpi(this->next_arguments()), "the one-sided call");
            scheme.end();
        }
    }
};

template <typename Kind, auto call_mpi, typename... Words>
std::unique_ptr<Operation> make(const OperationContext& context, const OneSidedCall& row,
                                plan::Synchronisation synchronise, Words... words) {
    switch (synchronise) {
        case plan::Synchronisation::fence:
            return std::make_unique<Performed<Kind, call_mpi, Fence>>(context, row, synchronise, words...);
        case plan::Synchronisation::pscw:
            return std::make_unique<Performed<Kind, call_mpi, PostStartCompleteWait>>(context, row,
                                                                                      synchronise, words...);
        case plan::Synchronisation::lock:
            return std::make_unique<Performed<Kind, call_mpi, Lock>>(context, row, synchronise, words...);
        case plan::Synchronisation::flush:
            return std::make_unique<Performed<Kind, call_mpi, Flush>>(context, row, synchronise, words...);
    }
    return nullptr;
}

template <auto call_mpi>
std::unique_ptr<Operation> make_moving(const OperationContext& context, const OneSidedCall& row,
                                       plan::Synchronisation synchronise) {
    return make<Moved, call_mpi>(context, row, synchronise);
}

/// By --type; integers by default.
template <auto call_mpi>
std::unique_ptr<Operation> make_accumulating(const OperationContext& context, const OneSidedCall& row,
                                             plan::Synchronisation synchronise) {
    const auto type = context.settings.type;
    if (context.settings.reduce_op != plan::ReduceOp::sum) {
        throw Unavailable("accumulating calls are measured with sums only (--reduce-op)");
    }
    if (type == plan::ElementType::float_) {
        return make<Numbers<float>, call_mpi>(context, row, synchronise, MPI_FLOAT, "float");
    }
    if (type == plan::ElementType::double_) {
        return make<Numbers<double>, call_mpi>(context, row, synchronise, MPI_DOUBLE, "double");
    }
    if (type == plan::ElementType::int_ || context.size.count % static_cast<std::int64_t>(sizeof(int)) == 0) {
        return make<Numbers<int>, call_mpi>(context, row, synchronise, MPI_INT, "int");
    }
    return make<Numbers<unsigned char>, call_mpi>(context, row, synchronise, MPI_UNSIGNED_CHAR,
                                                  "unsigned char");
}

template <auto call_mpi>
std::unique_ptr<Operation> make_of_one_number(const OperationContext& context, const OneSidedCall& row,
                                              plan::Synchronisation synchronise) {
    if (row.change == Change::swapped) {
        require_swaps(context);
    }
    return make<Numbers<std::int64_t>, call_mpi>(context, row, synchronise, MPI_INT64_T, "int64_t");
}

constexpr auto one_sided_calls = std::to_array<OneSidedCall>({
    {"put", true, false, Change::replaced, false, make_moving<put>},
    {"get", false, true, Change::none, false, make_moving<get>},
    {"accumulate", true, false, Change::added, false, make_accumulating<accumulate>},
    {"get_accumulate", true, true, Change::added, false, make_accumulating<get_accumulate>},
    {"fetch_and_op", true, true, Change::added, true, make_of_one_number<fetch_and_op>},
    {"compare_and_swap", true, true, Change::swapped, true, make_of_one_number<compare_and_swap>},
});

}  // namespace

std::unique_ptr<Operation> make_one_sided(const plan::OperationInfo& info, const OperationContext& context) {
    if (!info.synchronisation) {
        return make_window_making(info, context);
    }
    const auto* const row = std::ranges::find(one_sided_calls, info.call, &OneSidedCall::name);
    if (row == one_sided_calls.end()) {
        return nullptr;
    }
    return row->make(context, *row, *info.synchronisation);
}

}  // namespace fathom::probe

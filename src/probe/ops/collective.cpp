// Collectives as a table: one row a call, in its blocking, non-blocking and persistent form.
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include <climits>
#include <fmt/format.h>

#include "probe/mpi/byte_message.hpp"
#include "probe/mpi/check.hpp"
#include "probe/ops/buffer.hpp"
#include "probe/ops/data.hpp"
#include "probe/ops/registry.hpp"

namespace fathom::probe {
namespace {

/// What a row may hand to MPI. Counts and places (displacements) are for the forms with one for each rank;
/// all blocks are of `count`.
struct Arguments {
    const void* in = nullptr;
    void* out = nullptr;
    int count = 0;
    MPI_Datatype type = MPI_BYTE;
    int root = 0;
    MPI_Comm communicator = MPI_COMM_NULL;
    const int* counts = nullptr;
    const int* places = nullptr;
    const int* byte_places = nullptr;
    const MPI_Datatype* types = nullptr;
};

/// Which ranks have an input or an output.
enum class Who { nobody, root, everybody };
struct Side {
    Who who = Who::nobody;
    bool by_rank = false;  ///< a block for or from every rank, else one
};

/// What an output is made of.
enum class Content {
    nothing,  ///< a barrier
    moved,    ///< a block of another rank's input
    sum,      ///< over all ranks
    sum_up_to,
    sum_below,
};

struct Row {
    std::string_view name;
    Content content;
    Side in;
    Side out;
    int (*call)(const Arguments& a);
    int (*start)(const Arguments& a, MPI_Request* request);
    int (*init)(const Arguments& a, MPI_Request* request);  ///< nullptr where the library has none
};

// NOLINTBEGIN(cppcoreguidelines-macro-usage): the three forms of a call differ by name and last arguments
// only
#if MPI_VERSION >= 4
#define PERSISTENT(Name, ...)                                                          \
    [](const Arguments& a, MPI_Request* request) {                                     \
        return MPI_##Name##_init(__VA_ARGS__, a.communicator, MPI_INFO_NULL, request); \
    }
#define PERSISTENT_BARRIER                                               \
    [](const Arguments& a, MPI_Request* request) {                       \
        return MPI_Barrier_init(a.communicator, MPI_INFO_NULL, request); \
    }
#else
#define PERSISTENT(...) nullptr
#define PERSISTENT_BARRIER nullptr
#endif
#define FORMS(Name, name, ...)                                                  \
    [](const Arguments& a) { return MPI_##Name(__VA_ARGS__, a.communicator); }, \
        [](const Arguments& a, MPI_Request* request) {                          \
            return MPI_I##name(__VA_ARGS__, a.communicator, request);           \
        },                                                                      \
        PERSISTENT(Name, __VA_ARGS__)
#define ONE_BLOCK a.in, a.count, a.type, a.out, a.count, a.type
#define SUMMED a.in, a.out, a.count, a.type, MPI_SUM
// NOLINTEND(cppcoreguidelines-macro-usage)

constexpr Side none{};
constexpr Side one_each{Who::everybody, false};
constexpr Side all_each{Who::everybody, true};
constexpr Side one_at_root{Who::root, false};
constexpr Side all_at_root{Who::root, true};

constexpr auto table = std::to_array<Row>({
    {"barrier", Content::nothing, none, none, [](const Arguments& a) { return MPI_Barrier(a.communicator); },
     [](const Arguments& a, MPI_Request* request) { return MPI_Ibarrier(a.communicator, request); },
     PERSISTENT_BARRIER},
    // One buffer: what the root has in it comes out everywhere.
    {"bcast", Content::moved, none, one_each, FORMS(Bcast, bcast, a.out, a.count, a.type, a.root)},
    {"gather", Content::moved, one_each, all_at_root, FORMS(Gather, gather, ONE_BLOCK, a.root)},
    {"scatter", Content::moved, all_at_root, one_each, FORMS(Scatter, scatter, ONE_BLOCK, a.root)},
    {"allgather", Content::moved, one_each, all_each, FORMS(Allgather, allgather, ONE_BLOCK)},
    {"alltoall", Content::moved, all_each, all_each, FORMS(Alltoall, alltoall, ONE_BLOCK)},
    {"gatherv", Content::moved, one_each, all_at_root,
     FORMS(Gatherv, gatherv, a.in, a.count, a.type, a.out, a.counts, a.places, a.type, a.root)},
    {"scatterv", Content::moved, all_at_root, one_each,
     FORMS(Scatterv, scatterv, a.in, a.counts, a.places, a.type, a.out, a.count, a.type, a.root)},
    {"allgatherv", Content::moved, one_each, all_each,
     FORMS(Allgatherv, allgatherv, a.in, a.count, a.type, a.out, a.counts, a.places, a.type)},
    {"alltoallv", Content::moved, all_each, all_each,
     FORMS(Alltoallv, alltoallv, a.in, a.counts, a.places, a.type, a.out, a.counts, a.places, a.type)},
    {"alltoallw", Content::moved, all_each, all_each,
     FORMS(Alltoallw, alltoallw, a.in, a.counts, a.byte_places, a.types, a.out, a.counts, a.byte_places,
           a.types)},
    {"reduce", Content::sum, one_each, one_at_root, FORMS(Reduce, reduce, SUMMED, a.root)},
    {"allreduce", Content::sum, one_each, one_each, FORMS(Allreduce, allreduce, SUMMED)},
    {"reduce_scatter", Content::sum, all_each, one_each,
     FORMS(Reduce_scatter, reduce_scatter, a.in, a.out, a.counts, a.type, MPI_SUM)},
    {"reduce_scatter_block", Content::sum, all_each, one_each,
     FORMS(Reduce_scatter_block, reduce_scatter_block, SUMMED)},
    {"scan", Content::sum_up_to, one_each, one_each, FORMS(Scan, scan, SUMMED)},
    {"exscan", Content::sum_below, one_each, one_each, FORMS(Exscan, exscan, SUMMED)},
});

/// A call of the table in one of its forms, with the buffers of this rank.
class Collective : public Operation {
  public:
    enum class Form { blocking, non_blocking, persistent };

    void call() override {
        switch (form_) {
            case Form::blocking:
                mpi::check(row_.call(arguments()), "the collective call");
                return;
            case Form::non_blocking:
                mpi::check(row_.start(arguments(), &request_), "the start of the collective call");
                break;
            case Form::persistent:
                FATHOM_MPI(MPI_Start, &request_);
                break;
        }
        FATHOM_MPI(MPI_Wait, &request_, MPI_STATUS_IGNORE);
    }

    void next(std::int64_t /*rep*/) override {
        input_.next();
        output_.next();
        if (context_.rotate_root) {
            root_ = root_ + 1 == context_.procs ? 0 : root_ + 1;
        }
    }

    [[nodiscard]] std::span<std::byte> received() override {
        const bool already_there = row_.in.who == Who::nobody && context_.rank == root_;
        const bool undefined = row_.content == Content::sum_below && context_.rank == 0;
        return has(row_.out) && !already_there && !undefined ? output_.bytes() : std::span<std::byte>();
    }

    ~Collective() override {
        if (form_ == Form::persistent && request_ != MPI_REQUEST_NULL) {
            MPI_Request_free(&request_);
        }
    }

  protected:
    Collective(const OperationContext& context, const Row& row, Form form, int count, MPI_Datatype type)
        : context_(affordable(context, row)),
          row_(row),
          form_(form),
          type_(type),
          count_(count),
          input_(Bytes{blocks(row.in) * context.size.count}, context.region),
          output_(Bytes{blocks(row.out) * context.size.count}, context.region),
          counts_(static_cast<std::size_t>(context.procs), count),
          types_(static_cast<std::size_t>(context.procs), type) {
        const auto all = static_cast<std::int64_t>(count) * context.procs;
        if (all > INT_MAX || context.size.count * context.procs > INT_MAX) {
            by_rank_counts_fit_ = false;
        }
        for (int rank = 0; by_rank_counts_fit_ && rank < context.procs; ++rank) {
            places_.push_back(rank * count);
            byte_places_.push_back(static_cast<int>(rank * context.size.count));
        }
    }

    /// Once the buffers hold data: a persistent call is bound to them.
    void bind() {
        const bool by_rank =
            row_.name.ends_with('v') || row_.name.ends_with('w') || row_.name == "reduce_scatter";
        if (by_rank && !by_rank_counts_fit_) {
            throw mpi::Unavailable(
                fmt::format("{} processes times {} are more than MPI's 32-bit displacements can say",
                            context_.procs, to_text(context_.size)));
        }
        if (form_ != Form::persistent) {
            return;
        }
        if (row_.init == nullptr) {
            throw mpi::Unavailable("this library has no persistent collectives (MPI 4.0)");
        }
        if (context_.region.count > 0 || context_.rotate_root) {
            throw mpi::Unavailable("a persistent call is bound to its buffers and its root");
        }
        mpi::check(row_.init(arguments(), &request_), "the init of the persistent collective");
    }

    [[nodiscard]] bool has(const Side& side) const {
        return side.who == Who::everybody || (side.who == Who::root && context_.rank == root_);
    }
    [[nodiscard]] int blocks(const Side& side) const {
        return side.who == Who::nobody ? 0 : side.by_rank ? context_.procs : 1;
    }
    [[nodiscard]] std::span<std::byte> block(const Buffer& buffer, int index) const {
        const auto size = static_cast<std::size_t>(context_.size.count);
        return buffer.bytes().subspan(static_cast<std::size_t>(index) * size, size);
    }

    [[nodiscard]] const OperationContext& context() const { return context_; }
    [[nodiscard]] const Row& row() const { return row_; }
    [[nodiscard]] const Buffer& input() const { return input_; }
    [[nodiscard]] const Buffer& output() const { return output_; }
    [[nodiscard]] int root() const { return root_; }

  private:
    /// Blocks for every rank add up: looked at before any of it is taken.
    static const OperationContext& affordable(const OperationContext& context, const Row& row) {
        const auto blocks = [&](const Side& side) {
            return side.who == Who::nobody ? 0 : side.by_rank ? context.procs : 1;
        };
        const Bytes needed{(blocks(row.in) + blocks(row.out)) * context.size.count +
                           2 * context.region.count};
        if (needed > context.memory) {
            throw mpi::Unavailable(fmt::format("needs {} of memory on every rank, and {} are free for each",
                                               to_text(needed), to_text(context.memory)));
        }
        return context;
    }

    [[nodiscard]] Arguments arguments() const {
        return {.in = input_.data(),
                .out = output_.data(),
                .count = count_,
                .type = type_,
                .root = root_,
                .communicator = context_.communicator,
                .counts = counts_.data(),
                .places = places_.data(),
                .byte_places = byte_places_.data(),
                .types = types_.data()};
    }

    OperationContext context_;
    const Row& row_;
    Form form_;
    MPI_Datatype type_;
    int count_;
    Buffer input_;
    Buffer output_;
    std::vector<int> counts_;
    std::vector<int> places_;
    std::vector<int> byte_places_;
    std::vector<MPI_Datatype> types_;
    bool by_rank_counts_fit_ = true;
    int root_ = 0;
    MPI_Request request_ = MPI_REQUEST_NULL;
};

/// Owns the datatype that the base class hands to MPI: it has to be there first.
struct Message {
    explicit Message(Bytes size) : bytes(size) {}
    mpi::ByteMessage bytes;
};

/// Blocks of bytes from one rank to another. Block k of rank s is a stream of its own, so that any mistake in
/// who gets what shows.
class Moved : private Message, public Collective {
  public:
    Moved(const OperationContext& context, const Row& row, Form form)
        : Message(context.size), Collective(context, row, form, bytes.count(), bytes.datatype()) {
        Moved::prepare_check();
        bind();
    }

    void prepare_check() override {
        if (has(row().in)) {
            for (int index = 0; index < blocks(row().in); ++index) {
                fill_pattern(block(input(), index), stream(context().rank, index));
            }
        }
        if (has(row().out)) {
            for (int index = 0; index < blocks(row().out); ++index) {
                fill_wrong(block(output(), index), stream_of_output(index));
            }
            const bool sends_from_output = row().in.who == Who::nobody && context().rank == root();
            if (sends_from_output) {
                fill_pattern(block(output(), 0), stream_of_output(0));
            }
        }
    }

    [[nodiscard]] std::string check() const override {
        for (int index = 0; has(row().out) && index < blocks(row().out); ++index) {
            auto wrong = compare_pattern(block(output(), index), stream_of_output(index));
            if (!wrong.empty()) {
                return row().out.by_rank ? fmt::format("in the block of rank {}: {}", index, wrong) : wrong;
            }
        }
        return {};
    }

    [[nodiscard]] std::string datatype() const override { return "byte"; }

  private:
    [[nodiscard]] std::uint64_t stream(int sender, int index) const {
        return mixed(context().seed,
                     static_cast<std::uint64_t>(sender) * static_cast<std::uint64_t>(context().procs) +
                         static_cast<std::uint64_t>(index));
    }
    /// An output block comes from the rank it stands for, or the root; there it is the receiver's, or the
    /// only one.
    [[nodiscard]] std::uint64_t stream_of_output(int index) const {
        return stream(row().out.by_rank ? index : root(), row().in.by_rank ? context().rank : 0);
    }
};

/// Sums of elements of one type; they are small whole numbers, exact in float, modulo 256 in unsigned char.
template <typename Element>
class Reduced : public Collective {
  public:
    Reduced(const OperationContext& context, const Row& row, Form form, MPI_Datatype type,
            const char* type_name)
        : Collective(context, row, form, count_of(context, type_name), type),
          type_name_(type_name),
          summands_(context.seed, terms(context, row)) {
        Reduced::prepare_check();
        bind();
    }

    void prepare_check() override {
        const auto count = elements() * static_cast<std::size_t>(blocks(row().in));
        auto* const input_data = reinterpret_cast<Element*>(input().data());
        for (std::size_t i = 0; i < count; ++i) {
            input_data[i] = static_cast<Element>(summands_.of_rank(context().rank, i));
        }
        auto* const result = reinterpret_cast<Element*>(output().data());
        for (std::size_t i = 0; i < elements(); ++i) {
            result[i] = static_cast<Element>(expected(i) + 1);
        }
    }

    [[nodiscard]] std::string check() const override {
        const bool undefined = row().content == Content::sum_below && context().rank == 0;
        const auto* const result = reinterpret_cast<const Element*>(output().data());
        for (std::size_t i = 0; has(row().out) && !undefined && i < elements(); ++i) {
            if (result[i] != expected(i)) {
                return fmt::format("element {} is {}, expected {}", i, result[i], expected(i));
            }
        }
        return {};
    }

    [[nodiscard]] std::string datatype() const override { return type_name_; }

  private:
    static int count_of(const OperationContext& context, const char* type_name) {
        const auto count = context.size.count / static_cast<std::int64_t>(sizeof(Element));
        if (count > INT_MAX) {
            throw mpi::Unavailable(
                fmt::format("{} elements of {} are more than MPI's 32-bit counts can say", count, type_name));
        }
        return static_cast<int>(count);
    }
    /// Ranks that are summed, from 0 on.
    static int terms(const OperationContext& context, const Row& row) {
        return row.content == Content::sum_up_to   ? context.rank + 1
               : row.content == Content::sum_below ? context.rank
                                                   : context.procs;
    }
    [[nodiscard]] std::size_t elements() const {
        return static_cast<std::size_t>(context().size.count) / sizeof(Element);
    }
    /// Where inputs have a block for every rank, the own one is what comes out.
    [[nodiscard]] Element expected(std::size_t index) const {
        const auto first = row().in.by_rank ? static_cast<std::size_t>(context().rank) * elements() : 0;
        return static_cast<Element>(summands_.sum(first + index));
    }

    const char* type_name_;
    Summands summands_;
};

/// Moves no data, so there is none to check: an error would show as a hang or an MPI error.
class Empty : public Collective {
  public:
    Empty(const OperationContext& context, const Row& row, Form form)
        : Collective(context, row, form, 0, MPI_BYTE) {
        bind();
    }
    void prepare_check() override {}
    [[nodiscard]] std::string check() const override { return {}; }
};

const Row* find_row(std::string_view name) {
    const auto* const found =
        std::find_if(table.begin(), table.end(), [&](const auto& row) { return row.name == name; });
    return found == table.end() ? nullptr : found;
}

std::unique_ptr<Operation> make(const Row& row, Collective::Form form, const OperationContext& context) {
    if (row.content == Content::nothing) {
        return std::make_unique<Empty>(context, row, form);
    }
    if (row.content == Content::moved) {
        return std::make_unique<Moved>(context, row, form);
    }
    if (context.size.count % static_cast<std::int64_t>(sizeof(float)) == 0) {
        return std::make_unique<Reduced<float>>(context, row, form, MPI_FLOAT, "float");
    }
    return std::make_unique<Reduced<unsigned char>>(context, row, form, MPI_UNSIGNED_CHAR, "unsigned char");
}

}  // namespace

/// `gather`, `igather` (non-blocking) and `gather_init` (persistent) are one row.
std::unique_ptr<Operation> make_collective(std::string_view name, const OperationContext& context) {
    constexpr std::string_view persistent = "_init";
    using Form = Collective::Form;
    if (const auto* row = find_row(name)) {
        return make(*row, Form::blocking, context);
    }
    if (name.ends_with(persistent)) {
        if (const auto* row = find_row(name.substr(0, name.size() - persistent.size()))) {
            return make(*row, Form::persistent, context);
        }
    }
    if (name.starts_with('i')) {
        if (const auto* row = find_row(name.substr(1))) {
            return make(*row, Form::non_blocking, context);
        }
    }
    return nullptr;
}

}  // namespace fathom::probe

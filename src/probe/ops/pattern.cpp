// Patterns of neighbours: who sends to whom is a list of steps for each rank, and one class does them all.
#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "probe/mpi/byte_message.hpp"
#include "probe/mpi/check.hpp"
#include "probe/ops/buffer.hpp"
#include "probe/ops/data.hpp"
#include "probe/ops/registry.hpp"

namespace fathom::probe {
namespace {

/// One message out and one in, either of which may be missing (MPI_PROC_NULL). Both ends name a message by
/// the sender and its tag.
struct PatternStep {
    int to = MPI_PROC_NULL;
    int from = MPI_PROC_NULL;
    int tag = 0;
};
using Steps = std::vector<PatternStep>;

/// What the steps of a rank may depend on.
struct Place {
    int rank = 0;
    int procs = 1;
    int root = 0;
    std::uint64_t draw = 0;  ///< a random number, the same on all ranks
};

int around(int rank, int procs) {
    return (rank + procs) % procs;
}

Steps ring(const Place& at) {
    return {{.to = around(at.rank + 1, at.procs), .from = around(at.rank - 1, at.procs)}};
}

/// Both directions of every dimension of a periodic grid, in which ranks stand as in MPI_Cart_create.
Steps grid(const Place& at, int dimensions) {
    std::vector<int> lengths(static_cast<std::size_t>(dimensions), 0);
    FATHOM_MPI(MPI_Dims_create, at.procs, dimensions, lengths.data());
    Steps steps;
    int stride = at.procs;
    for (const int length : lengths) {
        stride /= length;
        const int place = at.rank / stride % length;
        const auto neighbour = [&](int by) {
            return at.rank + (around(place + by, length) - place) * stride;
        };
        for (const int by : {-1, 1}) {
            const auto tag = static_cast<int>(steps.size());
            steps.push_back({.to = neighbour(by), .from = neighbour(-by), .tag = tag});
        }
    }
    return steps;
}

Steps exchange(const Place& at) {
    return grid(at, 1);
}
Steps halo2d(const Place& at) {
    return grid(at, 2);
}
Steps halo3d(const Place& at) {
    return grid(at, 3);
}

Steps fan_in(const Place& at) {
    if (at.rank != at.root) {
        return {{.to = at.root, .from = MPI_PROC_NULL}};
    }
    Steps steps;
    for (int rank = 0; rank < at.procs; ++rank) {
        if (rank != at.root) {
            steps.push_back({.to = MPI_PROC_NULL, .from = rank});
        }
    }
    return steps;
}

Steps fan_out(const Place& at) {
    auto steps = fan_in(at);
    for (auto& step : steps) {
        std::swap(step.to, step.from);
    }
    return steps;
}

/// A random cycle through all ranks (Sattolo's shuffle): nobody sends to itself unless it is alone.
Steps random_cycle(const Place& at) {
    std::vector<int> to(static_cast<std::size_t>(at.procs));
    std::iota(to.begin(), to.end(), 0);
    for (std::size_t i = to.size() - 1; i > 0; --i) {
        std::swap(to[i], to[splitmix64(at.draw, i) % i]);
    }
    const auto from = std::find(to.begin(), to.end(), at.rank) - to.begin();
    return {{.to = to[static_cast<std::size_t>(at.rank)], .from = static_cast<int>(from)}};
}

struct PatternRow {
    std::string_view name;
    Steps (*steps)(const Place& at);
    bool rooted;  ///< one rank has a message with every other
};

constexpr auto patterns = std::to_array<PatternRow>({
    {"ring", ring, false},
    {"exchange", exchange, false},
    {"halo2d", halo2d, false},
    {"halo3d", halo3d, false},
    {"fan-in", fan_in, true},
    {"fan-out", fan_out, true},
    {"random", random_cycle, false},
});

/// Messages out and in at once; every step has a block of memory of its own either way.
class Pattern : public Operation {
  public:
    Pattern(const OperationContext& context, const PatternRow& row)
        : context_(context),
          row_(row),
          steps_(row.steps(place(0))),
          message_(context.size),
          outgoing_(needed(), context.region),
          incoming_(needed(), context.region) {
        requests_.reserve(2 * blocks());
        Pattern::prepare_check();
    }

    void call() override {
        if (steps_.size() > 1) {
            post_all();
            return;
        }
        const auto& step = steps_.front();
        if (step.from == MPI_PROC_NULL) {
            FATHOM_MPI(MPI_Send, block(outgoing_, 0).data(), message_.count(), message_.datatype(), step.to,
                       step.tag, context_.communicator);
        } else if (step.to == MPI_PROC_NULL) {
            FATHOM_MPI(MPI_Recv, block(incoming_, 0).data(), message_.count(), message_.datatype(), step.from,
                       step.tag, context_.communicator, MPI_STATUS_IGNORE);
        } else {
            FATHOM_MPI(MPI_Sendrecv, block(outgoing_, 0).data(), message_.count(), message_.datatype(),
                       step.to, step.tag, block(incoming_, 0).data(), message_.count(), message_.datatype(),
                       step.from, step.tag, context_.communicator, MPI_STATUS_IGNORE);
        }
    }

    void next(std::int64_t rep) override {
        outgoing_.next();
        incoming_.next();
        if (context_.rotate_root) {
            root_ = around(root_ + 1, context_.procs);
        }
        steps_ = row_.steps(place(rep));
    }

    void prepare_check() override {
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            const auto& step = steps_[i];
            fill_pattern(block(outgoing_, i), stream(context_.rank, step.to, step.tag));
            fill_wrong(block(incoming_, i), stream(step.from, context_.rank, step.tag));
        }
    }

    [[nodiscard]] std::string check() const override {
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            const auto& step = steps_[i];
            if (step.from == MPI_PROC_NULL) {
                continue;
            }
            const auto wrong =
                compare_pattern(block(incoming_, i), stream(step.from, context_.rank, step.tag));
            if (!wrong.empty()) {
                return fmt::format("in the message of rank {}: {}", step.from, wrong);
            }
        }
        return {};
    }

    [[nodiscard]] std::span<std::byte> received() override {
        const bool receives = !steps_.empty() && steps_.front().from != MPI_PROC_NULL;
        return receives ? incoming_.bytes().first(steps_.size() * size()) : std::span<std::byte>();
    }

    [[nodiscard]] std::string datatype() const override { return "byte"; }

  private:
    void post_all() {
        requests_.clear();
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            if (steps_[i].from != MPI_PROC_NULL) {
                FATHOM_MPI(MPI_Irecv, block(incoming_, i).data(), message_.count(), message_.datatype(),
                           steps_[i].from, steps_[i].tag, context_.communicator,
                           &requests_.emplace_back(MPI_REQUEST_NULL));
            }
        }
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            if (steps_[i].to != MPI_PROC_NULL) {
                FATHOM_MPI(MPI_Isend, block(outgoing_, i).data(), message_.count(), message_.datatype(),
                           steps_[i].to, steps_[i].tag, context_.communicator,
                           &requests_.emplace_back(MPI_REQUEST_NULL));
            }
        }
        FATHOM_MPI(MPI_Waitall, static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    }

    [[nodiscard]] Place place(std::int64_t rep) const {
        return {.rank = context_.rank,
                .procs = context_.procs,
                .root = root_,
                .draw = splitmix64(context_.seed, static_cast<std::uint64_t>(rep))};
    }
    /// Most steps of this rank in any repetition.
    [[nodiscard]] std::size_t blocks() const {
        const bool may_be_root = row_.rooted && context_.rotate_root;
        return may_be_root ? static_cast<std::size_t>(context_.procs - 1) : steps_.size();
    }
    /// Checked before any of it is allocated.
    [[nodiscard]] Bytes needed() const {
        const Bytes each{static_cast<std::int64_t>(blocks()) * context_.size.count};
        const Bytes both{2 * (each.count + context_.region.count)};
        if (both > context_.memory) {
            throw Unavailable(fmt::format("needs {} of memory on rank {}, and {} are free for each",
                                          to_text(both), context_.rank, to_text(context_.memory)));
        }
        return each;
    }
    [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(context_.size.count); }
    [[nodiscard]] std::span<std::byte> block(const Buffer& buffer, std::size_t index) const {
        return buffer.bytes().subspan(index * size(), size());
    }
    [[nodiscard]] std::uint64_t stream(int from, int to, int tag) const {
        const auto sender = splitmix64(context_.seed, static_cast<std::uint64_t>(from));
        const auto receiver = splitmix64(sender, static_cast<std::uint64_t>(to));
        return splitmix64(receiver, static_cast<std::uint64_t>(tag));
    }

    OperationContext context_;
    const PatternRow& row_;
    int root_ = 0;
    Steps steps_;
    mpi::ByteMessage message_;
    Buffer outgoing_;
    Buffer incoming_;
    std::vector<MPI_Request> requests_;
};

}  // namespace

std::unique_ptr<Operation> make_pattern(const plan::OperationInfo& info, const OperationContext& context) {
    const auto* const row =
        std::ranges::find_if(patterns, [&](const auto& each) { return each.name == info.call; });
    return row == patterns.end() ? nullptr : std::make_unique<Pattern>(context, *row);
}

}  // namespace fathom::probe

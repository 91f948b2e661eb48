#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "probe/ops/registry.hpp"

namespace fathom::probe::collective {

/// Which ranks have an input or an output.
enum class Who { nobody, root, everybody };

/// What an input or an output is made of.
enum class Blocks {
    one,            ///< of the whole size
    own,            ///< the share of this rank
    for_each,       ///< the shares of all ranks
    from_each,      ///< the share of this rank, from every rank
    of_neighbours,  ///< one of the whole size for or from each of four neighbours
};

struct Side {
    Who who = Who::nobody;
    Blocks blocks = Blocks::one;
};

inline constexpr int neighbours = 4;

/// Memory cut into blocks that follow each other; in elements.
class Cut {
  public:
    Cut() = default;
    explicit Cut(const std::vector<std::int64_t>& sizes);

    [[nodiscard]] int blocks() const { return static_cast<int>(starts_.size()) - 1; }
    [[nodiscard]] std::int64_t start(int block) const { return starts_[static_cast<std::size_t>(block)]; }
    [[nodiscard]] std::int64_t size(int block) const { return start(block + 1) - start(block); }
    [[nodiscard]] std::int64_t total() const { return starts_.back(); }

    /// As MPI takes them; only where they fit 32 bits.
    [[nodiscard]] std::vector<int> counts() const;
    [[nodiscard]] std::vector<int> places() const;

  private:
    std::vector<std::int64_t> starts_{0};
};

/// The blocks of a collective on one rank, in elements.
struct Layout {
    std::int64_t element_bytes = 1;
    std::int64_t block = 0;  ///< of one process, the same on all ranks except in the v forms
    Cut in;
    Cut out;
    std::int64_t most_in = 0;  ///< that any rank has
    std::int64_t most_out = 0;
};

/// Where sizes are totals, they are shared out over the ranks: exactly in the v forms (`by_counts`), which
/// also follow the requested distribution, and in equal blocks, rounded down, in the others. A block
/// for no rank in particular has the whole size.
Layout layout_of(const Side& in, const Side& out, bool by_counts, std::int64_t element_bytes,
                 const OperationContext& context);

}  // namespace fathom::probe::collective

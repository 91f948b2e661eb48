#include "probe/ops/collective_layout.hpp"

#include <algorithm>
#include <numeric>

#include "plan/distribution.hpp"

namespace fathom::probe::collective {
namespace {

using Sizes = std::vector<std::int64_t>;

/// Of all ranks.
Sizes shares_of(bool by_counts, std::int64_t elements, const OperationContext& context) {
    const bool total = context.settings.size_as == plan::SizeAs::total;
    if (by_counts) {
        return plan::shares(context.settings.distribution, total ? elements : elements * context.procs,
                            context.procs, context.seed);
    }
    return Sizes(static_cast<std::size_t>(context.procs), total ? elements / context.procs : elements);
}

}  // namespace

Cut::Cut(const std::vector<std::int64_t>& sizes) {
    for (const auto size : sizes) {
        starts_.push_back(starts_.back() + size);
    }
}

std::vector<int> Cut::counts() const {
    std::vector<int> found;
    for (int block = 0; block < blocks(); ++block) {
        found.push_back(static_cast<int>(size(block)));
    }
    return found;
}

std::vector<int> Cut::places() const {
    std::vector<int> found;
    for (int block = 0; block < blocks(); ++block) {
        found.push_back(static_cast<int>(start(block)));
    }
    return found;
}

Layout layout_of(const Side& in, const Side& out, bool by_counts, std::int64_t element_bytes,
                 const OperationContext& context) {
    const auto whole = context.size.count / element_bytes;
    const auto shares = shares_of(by_counts, whole, context);
    const auto own = shares[static_cast<std::size_t>(context.rank)];
    const auto largest = *std::max_element(shares.begin(), shares.end());
    const auto sizes = [&](const Side& side) -> Sizes {
        switch (side.blocks) {
            case Blocks::one:
                return {whole};
            case Blocks::own:
                return {own};
            case Blocks::for_each:
                return shares;
            case Blocks::from_each:
                return Sizes(shares.size(), own);
            case Blocks::of_neighbours:
                return Sizes(neighbours, whole);
        }
        return {};
    };
    const auto cut = [&](const Side& side) { return side.who == Who::nobody ? Cut() : Cut(sizes(side)); };
    const auto most = [&](const Side& side, const Cut& here) {
        return side.blocks == Blocks::own         ? largest
               : side.blocks == Blocks::from_each ? largest * context.procs
                                                  : here.total();
    };
    const auto by_rank = [](const Side& side) {
        return side.blocks == Blocks::own || side.blocks == Blocks::for_each ||
               side.blocks == Blocks::from_each;
    };
    Layout layout{.element_bytes = element_bytes,
                  .block = by_rank(in) || by_rank(out) ? own : whole,
                  .in = cut(in),
                  .out = cut(out)};
    layout.most_in = most(in, layout.in);
    layout.most_out = most(out, layout.out);
    return layout;
}

}  // namespace fathom::probe::collective

#include "plan/participants.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace fathom::plan {
namespace {

constexpr int largest_rank = 10'000'000;  // as many processes as -n takes

int rank_of(std::string_view text) {
    int rank = -1;
    const auto* end = text.data() + text.size();
    const auto [rest, code] = std::from_chars(text.data(), end, rank);
    if (code != std::errc() || rest != end || rank < 0 || rank >= largest_rank) {
        throw BadInput("give ranks such as 0,2,4-7");
    }
    return rank;
}

}  // namespace

std::vector<int> rank_list(std::span<const std::string> words) {
    std::vector<std::pair<int, int>> ranges;
    for (const auto& word : words) {
        const auto ends = split(word, '-');
        if (ends.empty() || ends.size() > 2) {
            throw BadInput("give ranks such as 0,2,4-7");
        }
        const int first = rank_of(ends.front());
        const int last = rank_of(ends.back());
        if (first > last) {
            throw BadInput(fmt::format("'{}' runs backwards; give the smaller rank first", word));
        }
        ranges.emplace_back(first, last);
    }
    // Ranks that are named often are there once: the list is never longer than there can be ranks.
    std::sort(ranges.begin(), ranges.end());
    std::vector<int> ranks;
    for (const auto& [first, last] : ranges) {
        const int from = ranks.empty() ? first : std::max(first, ranks.back() + 1);
        if (from <= last) {
            const auto before = static_cast<std::ptrdiff_t>(ranks.size());
            ranks.resize(ranks.size() + static_cast<std::size_t>(last - from) + 1);
            std::iota(ranks.begin() + before, ranks.end(), from);
        }
    }
    return ranks;
}

int procs_of_point(const OperationSettings& settings, int started) {
    const auto chosen = rank_list(settings.ranks);
    if (!chosen.empty() && chosen.back() >= started) {
        throw BadInput(fmt::format("--ranks names rank {}, but -n is {}, so the last is {}.", chosen.back(),
                                   started, started - 1));
    }
    const int all = chosen.empty() ? started : static_cast<int>(chosen.size());
    const auto groups = static_cast<int>(settings.groups);
    if (all % groups != 0) {
        throw BadInput(fmt::format("{} do not make {} equal groups; give another -n, --ranks or --groups.",
                                   processes_text(all), groups));
    }
    return all / groups;
}

std::vector<std::vector<int>> groups_of(const OperationSettings& settings, int procs) {
    auto ranks = rank_list(settings.ranks);
    if (ranks.empty()) {
        ranks.resize(static_cast<std::size_t>(procs) * static_cast<std::size_t>(settings.groups));
        std::iota(ranks.begin(), ranks.end(), 0);
    }
    std::vector<std::vector<int>> groups;
    for (auto first = ranks.begin(); ranks.end() - first >= procs; first += procs) {
        groups.emplace_back(first, first + procs);
    }
    return groups;
}

std::string lack_of_groups(const OperationInfo& operation, const OperationSettings& settings) {
    if (operation.kind == Kind::matrix && (settings.groups > 1 || !settings.ranks.empty())) {
        return fmt::format("{} measures all pairs of the job; leave out --groups and --ranks",
                           operation.name);
    }
    return operation.overlaps() && settings.groups > 1
               ? fmt::format("{} is studied in one group; leave out --groups", operation.name)
               : std::string();
}

}  // namespace fathom::plan

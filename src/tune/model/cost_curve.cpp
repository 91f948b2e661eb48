#include "tune/model/cost_curve.hpp"

#include <algorithm>
#include <cmath>

namespace fathom::tune {
namespace {

/// The last size at which a message of a share of it is in a range of a link.
std::int64_t last_size(Bytes up_to, double bytes_per_size) {
    const double size = std::floor(static_cast<double>(up_to.count) / bytes_per_size);
    return bytes_per_size > 0 && size < static_cast<double>(endless.count) ? static_cast<std::int64_t>(size)
                                                                           : endless.count;
}

/// A part of a round as lines against the operation's size.
std::vector<CostCurve::From> pieces_of(const CostSum::Part& part) {
    std::vector<CostCurve::From> pieces;
    std::int64_t first = 0;
    for (const auto& range : part.link->message.ranges) {
        const auto last = last_size(range.up_to, part.bytes_per_size);
        if (last >= first) {
            const double beta = range.time.per_byte_ns;
            pieces.push_back(
                {.first = {first},
                 .time = {range.time.fixed_ns,
                          std::max(beta * part.bytes_per_size, part.interface_ns_per_byte.value_or(beta) *
                                                                   part.interface_bytes_per_size)}});
            first = last + 1;
        }
    }
    return pieces;
}

void append(std::vector<CostCurve::From>& pieces, std::int64_t first, Line time) {
    if (pieces.empty() || !(pieces.back().time == time)) {
        pieces.push_back({.first = {first}, .time = time});
    }
}

/// Appends the larger of two lines between two sizes.
void append_larger(std::vector<CostCurve::From>& pieces, std::int64_t first, std::int64_t last, Line one,
                   Line other) {
    const auto begin = static_cast<double>(first);
    if (one.at(begin) < other.at(begin) ||
        (one.at(begin) == other.at(begin) && one.per_byte_ns < other.per_byte_ns)) {
        std::swap(one, other);
    }
    append(pieces, first, one);
    if (other.per_byte_ns <= one.per_byte_ns) {
        return;
    }
    const double meet = std::ceil((one.fixed_ns - other.fixed_ns) / (other.per_byte_ns - one.per_byte_ns));
    if (meet <= static_cast<double>(last)) {
        append(pieces, std::max(first, static_cast<std::int64_t>(meet)), other);
    }
}

std::vector<CostCurve::From> larger_of(const std::vector<CostCurve::From>& one,
                                       const std::vector<CostCurve::From>& other) {
    std::vector<CostCurve::From> pieces;
    std::size_t i = 0;
    std::size_t j = 0;
    std::int64_t first = 0;
    while (true) {
        const auto one_ends = i + 1 < one.size() ? one[i + 1].first.count : endless.count;
        const auto other_ends = j + 1 < other.size() ? other[j + 1].first.count : endless.count;
        const auto end = std::min(one_ends, other_ends);
        append_larger(pieces, first, end - 1, one[i].time, other[j].time);
        if (end == endless.count) {
            return pieces;
        }
        i += one_ends == end ? 1U : 0U;
        j += other_ends == end ? 1U : 0U;
        first = end;
    }
}

}  // namespace

CurvePiece Pipeline::piece(Bytes size) const {
    const auto whole = static_cast<double>(segment.count);
    const auto before = std::max<std::int64_t>(0, (size.count - 1) / segment.count);  // full segments
    const auto begin = before * segment.count;
    const auto rest = static_cast<double>(size.count - begin);
    if (before == 0) {
        const auto& slow = between.message.range_of(rest);
        const auto& fast = inside.message.range_of(rest);
        auto last = segment;
        if (between_hops > 0) {
            last = std::min(last, slow.up_to);
        }
        if (inside_hops > 0) {
            last = std::min(last, fast.up_to);
        }
        return {.time = static_cast<double>(between_hops) * slow.time +
                        static_cast<double>(inside_hops) * fast.time,
                .last = last};
    }
    double first_passes = 0;
    double pace = 0;
    const auto add_hops = [&](const Link& link, std::int64_t hops) {
        if (hops > 0) {
            first_passes += static_cast<double>(hops) * link.line_at(whole).at(whole);
            pace = std::max(pace, link.line_at(whole).at(whole));
        }
    };
    add_hops(inside, inside_hops);
    add_hops(between, between_hops);
    const auto& last_link = last_inside ? inside : between;
    const auto& last_range = last_link.message.range_of(rest);
    first_passes -= last_link.line_at(whole).at(whole);
    // The last, perhaps shorter segment: its last hop decides.
    const Line time{first_passes + static_cast<double>(before) * pace + last_range.time.fixed_ns -
                        last_range.time.per_byte_ns * static_cast<double>(begin),
                    last_range.time.per_byte_ns};
    return {.time = time, .last = {begin + std::min(segment.count, last_range.up_to.count)}};
}

CurvePiece CostCurve::piece(Bytes size) const {
    auto next = std::upper_bound(pieces_.begin(), pieces_.end(), size,
                                 [](Bytes at, const From& from) { return at < from.first; });
    CurvePiece found{.time = std::prev(next)->time,
                     .last = next == pieces_.end() ? endless : Bytes{next->first.count - 1}};
    if (pipeline_) {
        const auto more = pipeline_->piece(size);
        found.time = found.time + more.time;
        found.last = std::min(found.last, more.last);
    }
    return found;
}

void CostSum::add_round(const Part& inside, const Part& between, double reduce_ns_per_size, double times) {
    if (inside.link == nullptr && between.link == nullptr) {
        return;
    }
    if (inside.link == nullptr || between.link == nullptr) {
        add(pieces_of(inside.link != nullptr ? inside : between), times);
    } else {
        add(larger_of(pieces_of(inside), pieces_of(between)), times);
    }
    changes_.push_back({.first = 0, .by = {0, times * reduce_ns_per_size}});
}

void CostSum::add_burst(const Network& network, const Burst& burst) {
    if (burst.inside + burst.between <= 0) {
        return;
    }
    const auto& last_link = burst.between > 0 ? network.between : network.inside;
    const double waiting = burst.inside * network.inside.overhead_ns +
                           burst.between * network.between.overhead_ns - last_link.overhead_ns;
    std::vector<CostCurve::From> pieces;
    std::int64_t first = 0;
    while (first < endless.count) {
        const double bytes = static_cast<double>(first) * burst.block;
        const auto& inside = network.inside.message.range_of(bytes);
        const auto& between = network.between.message.range_of(bytes);
        const double rank_ns =
            burst.inside * inside.time.per_byte_ns + burst.between * between.time.per_byte_ns;
        const double interface_ns =
            burst.interface_messages * network.interface_ns_per_byte.value_or(between.time.per_byte_ns);
        const double latency = (burst.between > 0 ? between : inside).time.fixed_ns;
        append(pieces, first, {latency + waiting, std::max(rank_ns, interface_ns) * burst.block});
        auto last = endless.count - 1;
        if (burst.inside > 0) {
            last = std::min(last, last_size(inside.up_to, burst.block));
        }
        if (burst.between > 0) {
            last = std::min(last, last_size(between.up_to, burst.block));
        }
        first = std::max(first, last) + 1;
    }
    add(pieces, 1);
}

void CostSum::add(const std::vector<CostCurve::From>& pieces, double times) {
    Line before{};
    for (const auto& piece : pieces) {
        changes_.push_back({.first = piece.first.count, .by = times * (piece.time - before)});
        before = piece.time;
    }
}

CostCurve CostSum::curve() {
    std::stable_sort(changes_.begin(), changes_.end(),
                     [](const Change& a, const Change& b) { return a.first < b.first; });
    CostCurve made;
    made.pipeline_ = pipeline_;
    for (const auto& change : changes_) {
        auto& pieces = made.pieces_;
        if (pieces.back().first.count < change.first) {
            pieces.push_back({.first = {change.first}, .time = pieces.back().time});
        }
        pieces.back().time = pieces.back().time + change.by;
    }
    return made;
}

}  // namespace fathom::tune

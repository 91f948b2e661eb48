#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "analysis/samples/measures.hpp"
#include "store/store.hpp"

namespace fathom::analysis {

/// Whether messages in both directions hinder each other.
enum class DuplexVerdict { full, partly, none };
constexpr std::array<std::string_view, 3> enum_names(DuplexVerdict /*unused*/) {
    return {"full duplex", "partly duplex", "no duplex"};
}

/// By how many times as long as one way both at once take.
DuplexVerdict duplex_of(double ratio);

/// How long messages both ways at once take against one way at a time, from the times of the slowest rank.
/// Nothing if either was not measured.
std::vector<Measure> duplex_measures(const store::Store& store, const store::PointRow& point);

/// The same from times: of one way, and of both at once, in their order.
std::vector<Measure> duplex_measures(const std::vector<double>& one_way, const std::vector<double>& at_once);

}  // namespace fathom::analysis

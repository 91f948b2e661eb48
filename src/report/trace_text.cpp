#include "report/trace_text.hpp"

#include <fmt/format.h>

#include "base/units.hpp"
#include "tree/tree.hpp"

namespace fathom::report {

double bytes_per_event(const store::TraceRow& trace) {
    return trace.events > 0 ? static_cast<double>(trace.stored_bytes) / static_cast<double>(trace.events) : 0;
}

/// Events of a simulation repeat each other and take next to nothing.
static std::string each_text(const store::TraceRow& trace) {
    constexpr double least_shown = 0.1;
    const double bytes = bytes_per_event(trace);
    return bytes < least_shown ? fmt::format("less than {} bytes each", least_shown)
                               : fmt::format("{:.1f} bytes each", bytes);
}

std::string trace_text(const analysis::RunResult& result) {
    store::TraceRow whole;
    std::size_t points = 0;
    for (const auto& point : result.points) {
        if (point.trace) {
            ++points;
            whole.events += point.trace->events;
            whole.dropped += point.trace->dropped;
            whole.stored_bytes += point.trace->stored_bytes;
        }
    }
    if (points == 0) {
        return {};
    }
    return fmt::format(
        "\nTraced: {} events inside the calls of {} {}, {} in the file ({} in "
        "memory), {} dropped.\n",
        count_text(whole.events), points, points == 1 ? "point" : "points", each_text(whole),
        sizeof(tree::Event), whole.dropped > 0 ? count_text(whole.dropped) : "none");
}

}  // namespace fathom::report

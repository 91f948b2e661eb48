#include "report/trace_text.hpp"

#include <fmt/format.h>

#include "base/units.hpp"
#include "tree/tree.hpp"

namespace fathom::report {

double bytes_per_event(const store::TraceRow& trace) {
    return trace.events > 0 ? static_cast<double>(trace.stored_bytes) / static_cast<double>(trace.events) : 0;
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
        "\nTraced: {} events inside the calls of {} {}, {:.1f} bytes each in the file ({} in "
        "memory), {} dropped.\n",
        count_text(whole.events), points, points == 1 ? "point" : "points", bytes_per_event(whole),
        sizeof(tree::Event), whole.dropped > 0 ? count_text(whole.dropped) : "none");
}

}  // namespace fathom::report

#include "report/sentences/curves.hpp"

#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "base/units.hpp"
#include "plan/operations.hpp"

namespace fathom::report {
namespace {

/// `1.25`, `17`
std::string factor_text(double factor) {
    constexpr double large = 10;
    return factor < large ? fmt::format("{:.2f}", factor) : fmt::format("{:.0f}", factor);
}

std::string_view input_name(analysis::LogGpInput input) {
    using enum analysis::LogGpInput;
    switch (input) {
        case send_overhead:
            return "the overhead of overlap.isend";
        case receive_overhead:
            return "the overhead of overlap.irecv";
        case one_way:
            return "pingpong.isend_irecv";
        case gap:
            return "message-rate with 2 processes";
    }
    return "";
}

}  // namespace

std::string sentence(const analysis::SizeScaling& scaling) {
    auto text = fmt::format("{}: at most {} (at {})", curve_text(scaling.key),
                            rate_text(scaling.best_rate_bytes_per_s), to_text(scaling.best_at));
    if (scaling.asymptotic_rate_bytes_per_s) {
        text += fmt::format("; large messages approach {}", rate_text(*scaling.asymptotic_rate_bytes_per_s));
    }
    if (scaling.half_bytes) {
        text += fmt::format(", half of it at {}", to_text(Bytes{std::llround(*scaling.half_bytes)}));
    }
    return text;
}

std::string sentence(const analysis::Anomaly& anomaly) {
    const auto& slow = anomaly.key;
    const auto& other = anomaly.other;
    const auto factor = factor_text(anomaly.factor);
    const auto time = time_text(anomaly.time_ns);
    const auto other_time = time_text(anomaly.other_ns);
    switch (anomaly.kind) {
        case analysis::AnomalyKind::hump:
            return fmt::format("{}: {} takes {} times as long as {} ({} and {})", curve_text(slow),
                               exact_text(slow.size), factor, exact_text(other.size), time, other_time);
        case analysis::AnomalyKind::procs:
            return fmt::format("{}: {} take {} times as long as {} ({} and {})", sweep_text(slow),
                               plan::processes_text(slow.procs), factor, plan::processes_text(other.procs),
                               time, other_time);
        case analysis::AnomalyKind::jump:
            break;
    }
    return fmt::format("{}: {} times slower from {} to {} than the curve on both sides suggests ({} and {})",
                       curve_text(slow), factor, exact_text(other.size), exact_text(slow.size), other_time,
                       time);
}

std::string sentence(const analysis::Violation& violation) {
    return fmt::format("{}: {} times slower than {} ({} instead of {})", to_text(violation.key),
                       factor_text(violation.factor), violation.others, time_text(violation.time_ns),
                       time_text(violation.bound_ns));
}

std::string sentence(const analysis::ProtocolBoundary& at) {
    std::vector<std::string> changes;
    const auto add = [&](std::string_view what, const std::string& before, const std::string& after) {
        if (before != after) {
            changes.push_back(
                fmt::format("{} {}from {} to {}", what, changes.empty() ? "changes " : "", before, after));
        }
    };
    add("overhead", time_text(at.overhead_before_ns), time_text(at.overhead_after_ns));
    add("availability", fmt::format("{:.2f}", at.availability_before),
        fmt::format("{:.2f}", at.availability_after));
    add("the time", time_text(at.time_before_ns), time_text(at.time_after_ns));
    return fmt::format("{}: between {} and {} {}: a protocol change", curve_text(at.key), to_text(at.below),
                       to_text(at.above), fmt::join(changes, ", "));
}

std::string sentence(const analysis::FoundSwitch& at) {
    return fmt::format("{}: {} ({} and {})", curve_text(at.key), stats::switch_text(at.found, at.element),
                       time_text(at.found.before), time_text(at.found.after));
}

std::string reason_of(const analysis::LogGp& parameters) {
    const auto list_of = [](const std::vector<analysis::LogGpInput>& inputs) {
        std::vector<std::string> names;
        for (const auto input : inputs) {
            names.emplace_back(input_name(input));
        }
        return and_list(names);
    };
    std::vector<std::string> needs;
    if (!parameters.missing.empty()) {
        needs.push_back(list_of(parameters.missing) + " too");
    }
    if (!parameters.unreliable.empty()) {
        needs.push_back(fmt::format("{} of undisturbed and precise points", list_of(parameters.unreliable)));
    }
    return needs.empty() ? "" : fmt::format("LogGP needs {}", fmt::join(needs, ", and "));
}

std::string reason_of(const analysis::LogGpRange& range) {
    constexpr auto least = analysis::least_loggp_sizes;
    std::vector<std::string> short_of;
    if (range.gap_sizes < least) {
        short_of.push_back(
            fmt::format("g and G need {} sizes of message-rate, not {}", least, range.gap_sizes));
    }
    if (range.wire_sizes < least) {
        short_of.push_back(
            fmt::format("L needs {} sizes with overheads and pingpong, not {}", least, range.wire_sizes));
    }
    return fmt::format("{}", fmt::join(short_of, "; "));
}

}  // namespace fathom::report

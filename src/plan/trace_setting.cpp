#include "plan/trace_setting.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "plan/setting_values.hpp"

namespace fathom::plan {
namespace {

constexpr std::string_view all_calls = "all";
constexpr std::string_view no_calls = "off";
constexpr std::string_view some_calls = "every=";
constexpr std::string_view calls_in_time = "window=";
constexpr std::string_view up_to = "..";

[[noreturn]] void refuse_trace() {
    throw BadInput(
        "give all, off, every=K such as every=10, window=FROM..TO such as window=1s..2s, or the last two "
        "with a comma");
}

void set_window(TraceSettings& trace, std::string_view text) {
    const auto dots = text.find(up_to);
    if (dots == std::string_view::npos || text == up_to) {
        refuse_trace();
    }
    const auto from = text.substr(0, dots);
    const auto until = text.substr(dots + up_to.size());
    trace.from = from.empty() ? Nanoseconds{0} : parse_duration(from);
    if (!until.empty()) {
        trace.until = parse_duration(until);
        if (*trace.until <= trace.from) {
            throw BadInput(fmt::format("'{}' ends before it begins", text));
        }
    }
}

/// In the largest unit that makes it a whole number.
std::string exact_text(Nanoseconds time) {
    constexpr std::array units{std::pair{std::int64_t{1'000'000'000}, "s"},
                               std::pair{std::int64_t{1'000'000}, "ms"},
                               std::pair{std::int64_t{1'000}, "us"}};
    for (const auto& [ns, name] : units) {
        if (time.count % ns == 0) {
            return fmt::format("{}{}", time.count / ns, name);
        }
    }
    return fmt::format("{}ns", time.count);
}

}  // namespace

void set_traced_calls(TraceSettings& trace, const std::string& text) {
    TraceSettings chosen;
    chosen.every = 1;
    chosen.ring = trace.ring;
    if (text == no_calls) {
        chosen.every = 0;
    } else if (text != all_calls) {
        for (const auto& word : split(text, ',')) {
            if (word.starts_with(some_calls)) {
                chosen.every = whole_number(word.substr(some_calls.size()), 1, unlimited_reps);
            } else if (word.starts_with(calls_in_time)) {
                set_window(chosen, std::string_view(word).substr(calls_in_time.size()));
            } else {
                refuse_trace();
            }
        }
    }
    trace = chosen;
}

std::string traced_calls_text(const TraceSettings& trace) {
    if (trace.every == 0) {
        return std::string(no_calls);
    }
    std::vector<std::string> words;
    if (trace.every > 1) {
        words.push_back(fmt::format("{}{}", some_calls, trace.every));
    }
    if (trace.from.count > 0 || trace.until) {
        words.push_back(fmt::format("{}{}{}{}", calls_in_time,
                                    trace.from.count > 0 ? exact_text(trace.from) : "", up_to,
                                    trace.until ? exact_text(*trace.until) : ""));
    }
    return words.empty() ? std::string(all_calls) : fmt::format("{}", fmt::join(words, ","));
}

bool is_trace_value(std::string_view text) {
    return text == all_calls || text == no_calls || text.starts_with(some_calls) ||
           text.starts_with(calls_in_time);
}

}  // namespace fathom::plan

#include "report/page/allowance.hpp"

#include <algorithm>
#include <array>

namespace fathom::report {
namespace {

using nlohmann::ordered_json;

/// What analyses say of a point, and of each of its processes, in bytes.
constexpr std::size_t usual_of_a_point = 1500;
constexpr std::size_t usual_of_a_process = 100;

std::size_t size_of(const ordered_json& json) {
    return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace).size();
}

void drop_within(ordered_json& details, const char* name, const char* part) {
    if (const auto found = details.find(name); found != details.end() && found->is_object()) {
        found->erase(part);
    }
}

/// Times by process: most of what there is to say of a point with many of them.
void drop_processes(ordered_json& details) {
    drop_within(details, "spread", "ranks");
    details.erase("processes");
}

void drop_if_zero(ordered_json& details, const char* name, const char* count) {
    if (const auto found = details.find(name); found != details.end() && found->value(count, 0.0) == 0) {
        details.erase(name);
    }
}

void drop_what_found_nothing(ordered_json& details) {
    drop_if_zero(details, "timeouts", "inferred");
    drop_if_zero(details, "explanation", "slow_reps");
    drop_if_zero(details, "outliers", "count");
}

template <const auto& names>
void drop_all(ordered_json& details) {
    for (const char* name : names) {
        details.erase(name);
    }
}

constexpr std::array distributions{"distribution", "tails"};
constexpr std::array explanations{"timeouts", "explanation", "outliers"};
constexpr std::array everything_else{"spread", "overlap", "tree", "matrix"};

/// What matters least comes first.
constexpr std::array trims{drop_processes, drop_what_found_nothing, drop_all<distributions>,
                           drop_all<explanations>, drop_all<everything_else>};

}  // namespace

Allowance::Allowance(std::size_t bytes, std::size_t points, std::size_t processes)
    : bytes_(bytes),
      points_(std::max<std::size_t>(1, points)),
      limited_(points * usual_of_a_point + processes * usual_of_a_process > bytes) {}

bool Allowance::trim(ordered_json& details) {
    if (!limited_) {
        return false;
    }
    const std::size_t most = bytes_ / points_;
    auto size = size_of(details);
    bool trimmed = false;
    for (auto next = trims.begin(); size > most && next != trims.end(); ++next) {
        (*next)(details);
        trimmed = true;
        size = size_of(details);
    }
    bytes_ -= std::min(bytes_, size);
    points_ = std::max<std::size_t>(1, points_ - 1);
    return trimmed;
}

}  // namespace fathom::report

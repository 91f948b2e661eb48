#include "report/medians_only.hpp"

#include <set>

#include <fmt/format.h>

#include "base/printable.hpp"
#include "base/text.hpp"

namespace fathom::report {

std::string medians_only(std::string_view done, const std::vector<const analysis::MeasuredRun*>& runs) {
    std::set<std::string> others;
    for (const auto* run : runs) {
        for (const auto& point : run->result.points) {
            if (point.value_ns && point.over_reps != "median") {
                others.insert(printable(point.over_reps));
            }
        }
    }
    return others.empty() ? std::string()
                          : fmt::format("Medians over repetitions are {}; 'fathom show' shows: {}.\n", done,
                                        and_list({others.begin(), others.end()}));
}

}  // namespace fathom::report

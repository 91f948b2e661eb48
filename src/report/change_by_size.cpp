#include "report/change_by_size.hpp"

#include <optional>

#include "journal/json.hpp"
#include "report/point_key.hpp"
#include "report/sentences/change_by_size.hpp"

namespace fathom::report {
namespace {

using nlohmann::ordered_json;

ordered_json span_json(const analysis::SizeSpan& span) {
    return ordered_json::array({span.least.count, span.most.count});
}

ordered_json group_json(const analysis::ChangedCurves& group) {
    ordered_json json{{"curves", ordered_json::array()}, {"ranges", ordered_json::array()}};
    for (const auto& curve : group.curves) {
        json["curves"].push_back(with_curve_key(curve, ordered_json::object()));
    }
    for (const auto& range : group.ranges) {
        json["ranges"].push_back({{"verdict", range.change},
                                  {"from_bytes", span_json(range.from)},
                                  {"to_bytes", span_json(range.to)}});
    }
    json.update({{"points", group.points()},
                 {"slower", group.slower},
                 {"faster", group.faster},
                 {"same", group.same},
                 {"undecided", group.undecided.size()}});
    return json;
}

ordered_json largest_json(const std::optional<analysis::ComparedPoint>& point) {
    return point ? with_key(point->key, {{"second_procs", point->second_procs}, {"ratio", point->ratio}})
                 : ordered_json();
}

}  // namespace

std::string change_by_size_text(const analysis::Comparison& comparison) {
    const auto change = analysis::change_by_size(comparison);
    const auto largest = largest_changes(change);
    return sentence(change, compared_names(comparison)) + "\n" + (largest.empty() ? "" : largest + "\n");
}

ordered_json change_by_size_json(const analysis::Comparison& comparison) {
    const auto change = analysis::change_by_size(comparison);
    ordered_json json{{"text", sentence(change, compared_names(comparison))},
                      {"groups", ordered_json::array()}};
    for (const auto& group : change.groups) {
        json["groups"].push_back(group_json(group));
    }
    json["slowest"] = largest_json(change.slowest);
    json["fastest"] = largest_json(change.fastest);
    return json;
}

}  // namespace fathom::report

#include "report/notes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <variant>

#include <fmt/format.h>

#include "analysis/run/doctor.hpp"
#include "base/named_enum.hpp"
#include "base/printable.hpp"
#include "report/sentences/curves.hpp"
#include "report/sentences/insights.hpp"
#include "report/sentences/point_warning.hpp"
#include "report/sentences/run.hpp"
#include "report/switches_text.hpp"

namespace fathom::report {
namespace {

using analysis::InsightKind;
using analysis::PointWarningKind;

/// Which notes come first; within a rank they keep their order.
enum class Rank { failure, doubt, finding, limit };

/// What stands below a note unless all notes are wanted.
constexpr std::size_t most_consequences = 3;

class Notes {
  public:
    void add(Rank rank, std::string text, std::string fix = {}) {
        add(rank, {.text = std::move(text), .fix = std::move(fix)});
    }
    void add(Rank rank, Note note) { ranked_[rank].push_back(std::move(note)); }

    [[nodiscard]] std::vector<Note> in_order() && {
        std::vector<Note> all;
        for (auto& [rank, notes] : ranked_) {
            std::move(notes.begin(), notes.end(), std::back_inserter(all));
        }
        return all;
    }

  private:
    std::map<Rank, std::vector<Note>> ranked_;
};

bool was_disturbed(const analysis::PointResult& point) {
    return std::ranges::any_of(
        point.warnings, [](const auto& warning) { return warning.kind() == PointWarningKind::disturbed; });
}

bool on_virtual_machine(const store::WarningRow& warning) {
    return warning.code == to_text(analysis::TroubleKind::virtual_machine);
}

std::string fix_of_disturbance(const analysis::RunResult& result) {
    analysis::Insight disturbed;
    disturbed.facts = analysis::DisturbedPoints{};
    auto fix = fix_of(disturbed);
    if (std::ranges::any_of(result.warnings, on_virtual_machine)) {
        fix += "; on a virtual machine compare minima and medians, not means";
    }
    return fix;
}

/// What other programs on the processors account for. It stands below the note on them, if there is one: on
/// the whole run, or else on the points that they disturbed.
class Disturbance {
  public:
    explicit Disturbance(const analysis::RunResult& result)
        : of_run_(std::ranges::any_of(result.insights, [](const auto& insight) {
              return insight.kind() == InsightKind::disturbed;
          })) {
        for (const auto& point : result.points) {
            if (was_disturbed(point)) {
                points_.insert(point.key);
            }
        }
    }

    /// Whether the note on the points is the first to tell of it.
    [[nodiscard]] bool told_by_points() const { return !of_run_ && noted(); }
    [[nodiscard]] bool accounts_for(const analysis::Insight& insight) const {
        return noted() && std::visit(Accounts{points_.contains(insight.key)}, insight.facts);
    }
    [[nodiscard]] bool accounts_for(const store::WarningRow& warning) const {
        return noted() &&
               (warning.code == to_text(analysis::TroubleKind::load) || on_virtual_machine(warning));
    }
    /// Whether it disturbed all of these points, so that what they have in common may be its doing.
    [[nodiscard]] bool accounts_for(PointWarningKind kind, const std::vector<plan::PointKey>& points) const {
        const bool of_times = kind == PointWarningKind::disturbed || kind == PointWarningKind::limit ||
                              kind == PointWarningKind::start_skew;
        return noted() && of_times &&
               std::ranges::all_of(points, [&](const auto& key) { return points_.contains(key); });
    }

  private:
    struct Accounts {
        bool disturbed_point;

        bool operator()(const analysis::SlowRepetitions& slow) const {
            return slow.cause.kind == analysis::CauseKind::preempted ||
                   (disturbed_point && slow.cause.kind == analysis::CauseKind::blocked);
        }
        bool operator()(const analysis::TwoModes& modes) const {
            return modes.cause ? (*this)(*modes.cause) : disturbed_point;
        }
        bool operator()(const analysis::LongTail& /*tail*/) const { return disturbed_point; }
        bool operator()(const analysis::Anomaly& /*anomaly*/) const { return disturbed_point; }
        template <typename Other>
        bool operator()(const Other& /*facts*/) const {
            return false;
        }
    };

    [[nodiscard]] bool noted() const { return of_run_ || !points_.empty(); }

    bool of_run_;
    std::set<plan::PointKey> points_;
};

/// Whether two sizes are compared between which a switch was found: the note on the switch says it.
bool is_step_of_switch(const analysis::Insight& insight, const std::vector<analysis::FoundSwitch>& switches) {
    const auto* const anomaly = std::get_if<analysis::Anomaly>(&insight.facts);
    return anomaly != nullptr && std::ranges::any_of(switches, [&](const auto& at) {
               const auto [low, high] = std::minmax(anomaly->key.size, anomaly->other.size);
               return is_in_curve_of(at, anomaly->key) && is_in_curve_of(at, anomaly->other) &&
                      at.found.last_below == low.count && at.found.first_above == high.count;
           });
}

/// The same warning of several points.
struct GroupedWarnings {
    std::string first;
    std::vector<plan::PointKey> points;

    [[nodiscard]] std::string text() const {
        const auto more = points.size() - 1;
        return more == 0 ? first + "." : fmt::format("{}. {} more like this.", first, more);
    }
};

std::map<PointWarningKind, GroupedWarnings> point_warnings(const analysis::RunResult& result) {
    std::map<PointWarningKind, GroupedWarnings> by_kind;
    for (const auto& point : result.points) {
        for (const auto& warning : point.warnings) {
            auto& group = by_kind[warning.kind()];
            if (group.points.empty()) {
                group.first = fmt::format("{}: {}", to_text(point.key), sentence(warning));
            }
            group.points.push_back(point.key);
        }
    }
    return by_kind;
}

void put_insights(Notes& notes, const analysis::RunResult& result, const Disturbance& disturbance,
                  const std::vector<std::string>& consequences) {
    for (const auto& insight : result.insights) {
        if (disturbance.accounts_for(insight) || is_step_of_switch(insight, result.switches)) {
            continue;
        }
        // Switches are listed below, each with its exact size.
        const auto kind = insight.kind();
        if (kind != InsightKind::protocol_switch) {
            const auto rank = kind == InsightKind::failed      ? Rank::failure
                              : kind == InsightKind::disturbed ? Rank::doubt
                                                               : Rank::finding;
            notes.add(
                rank,
                {.text = sentence(insight) + ".",
                 .fix = kind == InsightKind::disturbed ? fix_of_disturbance(result) : fix_of(insight),
                 .consequences = kind == InsightKind::disturbed ? consequences : std::vector<std::string>()});
        }
    }
    for (const auto& at : result.switches) {
        notes.add(Rank::finding, sentence(at) + ".");
    }
    for (const auto& search : result.cut_searches) {
        notes.add(Rank::doubt, cut_search_sentence(search, result.plan) + ".",
                  search.at_limit ? "give a larger --max-points"
                                  : "give more time (--point-budget, --budget) or smaller sizes");
    }
    if (const auto left_out = result.switches_left_out; left_out > 0) {
        notes.add(Rank::doubt,
                  fmt::format("{} {} left out, beside points that are disturbed or imprecise.", left_out,
                              left_out == 1 ? "switch is" : "switches are"),
                  "measure again on a quieter machine, or with more time (--point-budget)");
    } else if (result.switches_sought && result.switches.empty()) {
        notes.add(Rank::finding, "No protocol or algorithm switch was found between the sizes.");
    }
}

void put_warnings(Notes& notes, const analysis::RunResult& result, const Disturbance& disturbance,
                  const std::vector<std::string>& consequences) {
    for (const auto& warning : warnings_of(result)) {
        if (disturbance.accounts_for(warning)) {
            continue;
        }
        const auto rank = warning.severity == store::Severity::serious ? Rank::doubt : Rank::limit;
        notes.add(rank, warning.text, warning.remedy);
    }
    for (const auto& [kind, group] : point_warnings(result)) {
        if (kind == PointWarningKind::disturbed && disturbance.told_by_points()) {
            notes.add(
                Rank::doubt,
                {.text = group.text(), .fix = fix_of_disturbance(result), .consequences = consequences});
        } else if (!disturbance.accounts_for(kind, group.points)) {
            notes.add(kind == PointWarningKind::disturbed       ? Rank::doubt
                      : kind == PointWarningKind::launch_levels ? Rank::finding
                                                                : Rank::limit,
                      group.text());
        }
    }
}

/// Whether facts come from a comparison of points with each other.
struct ComparesPoints {
    bool operator()(const analysis::Anomaly& /*facts*/) const { return true; }
    bool operator()(const analysis::Violation& /*facts*/) const { return true; }
    bool operator()(const analysis::SettingComparison& /*facts*/) const { return true; }
    template <typename Other>
    bool operator()(const Other& /*facts*/) const {
        return false;
    }
};

std::vector<std::string> consequences_of(const analysis::RunResult& result, const Disturbance& disturbance) {
    std::vector<std::string> consequences;
    for (const auto& insight : result.insights) {
        if (disturbance.accounts_for(insight)) {
            consequences.push_back(sentence(insight) + ".");
        }
    }
    for (const auto& [kind, group] : point_warnings(result)) {
        // That points were disturbed is what the note itself says.
        if (kind != PointWarningKind::disturbed && disturbance.accounts_for(kind, group.points)) {
            consequences.push_back(group.text());
        }
    }
    for (const auto& warning : warnings_of(result)) {
        if (disturbance.accounts_for(warning)) {
            consequences.push_back(warning.text);
        }
    }
    return consequences;
}

}  // namespace

std::vector<Note> notes_of(const analysis::RunResult& result) {
    Notes notes;
    const Disturbance disturbance(result);
    const auto consequences = consequences_of(result, disturbance);
    put_insights(notes, result, disturbance, consequences);
    put_warnings(notes, result, disturbance, consequences);
    return std::move(notes).in_order();
}

std::vector<std::string> sentences_on(const analysis::RunResult& result, const plan::PointKey& key) {
    std::vector<std::string> sentences;
    for (const auto& at : result.switches) {
        const bool slower = at.found.after > at.found.before;
        if (slower && is_in_curve_of(at, key) && at.found.first_above <= key.size.count) {
            sentences.push_back(sentence(at) + ".");
        }
    }
    for (const auto& insight : result.insights) {
        const bool compares = std::visit(ComparesPoints{}, insight.facts);
        if (compares && insight.key == key && !is_step_of_switch(insight, result.switches)) {
            sentences.push_back(sentence(insight) + ".");
        }
    }
    return sentences;
}

std::string notes_text(const analysis::RunResult& result, std::size_t most) {
    const auto notes = notes_of(result);
    std::string text = notes.empty() ? "" : "\nNotes\n";
    for (std::size_t i = 0; i < std::min(most, notes.size()); ++i) {
        text += fmt::format("  {}. {}\n", i + 1, printable(notes[i].text));
        text += notes[i].fix.empty() ? "" : fmt::format("     Fix: {}\n", printable(notes[i].fix));
        const auto& consequences = notes[i].consequences;
        const auto shown =
            most <= most_notes ? std::min(most_consequences, consequences.size()) : consequences.size();
        for (std::size_t j = 0; j < shown; ++j) {
            text += fmt::format("     - {}\n", printable(consequences[j]));
        }
        if (shown < consequences.size()) {
            text += fmt::format("     - {} more: 'fathom show {} --notes'.\n", consequences.size() - shown,
                                result.run.id);
        }
    }
    if (notes.size() > most) {
        text += fmt::format("  {} more: 'fathom show {} --notes'.\n", notes.size() - most, result.run.id);
    }
    return text;
}

}  // namespace fathom::report

#include "report/notes.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

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

class Notes {
  public:
    void add(Rank rank, std::string text, std::string fix = {}) {
        ranked_[rank].push_back({.text = std::move(text), .fix = std::move(fix)});
    }

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

void put_insights(Notes& notes, const analysis::RunResult& result) {
    for (const auto& insight : result.insights) {
        // Switches are listed below, each with its exact size.
        const auto kind = insight.kind();
        if (kind != InsightKind::protocol_switch) {
            const auto rank = kind == InsightKind::failed      ? Rank::failure
                              : kind == InsightKind::disturbed ? Rank::doubt
                                                               : Rank::finding;
            notes.add(rank, sentence(insight) + ".", fix_of(insight));
        }
    }
    for (const auto& at : result.switches) {
        notes.add(Rank::finding, sentence(at) + ".");
    }
    for (const auto& search : result.cut_searches) {
        notes.add(Rank::doubt, cut_search_sentence(search, result.plan) + ".", "give a larger --max-points");
    }
    if (result.switches_sought && result.switches.empty()) {
        notes.add(Rank::finding, "No protocol or algorithm switch was found between the sizes.");
    }
}

void put_warnings(Notes& notes, const analysis::RunResult& result) {
    for (const auto& warning : warnings_of(result)) {
        const auto rank = warning.severity == store::Severity::serious ? Rank::doubt : Rank::limit;
        notes.add(rank, warning.text, warning.remedy);
    }
    const bool counted = std::any_of(result.insights.begin(), result.insights.end(), [](const auto& insight) {
        return insight.kind() == InsightKind::disturbed;
    });
    std::map<PointWarningKind, std::vector<std::string>> by_kind;
    for (const auto& point : result.points) {
        for (const auto& warning : point.warnings) {
            if (warning.kind() != PointWarningKind::disturbed || !counted) {
                by_kind[warning.kind()].push_back(
                    fmt::format("{}: {}", to_text(point.key), sentence(warning)));
            }
        }
    }
    for (const auto& [kind, texts] : by_kind) {
        const auto more = texts.size() - 1;
        notes.add(
            kind == PointWarningKind::disturbed       ? Rank::doubt
            : kind == PointWarningKind::launch_levels ? Rank::finding
                                                      : Rank::limit,
            more == 0 ? texts.front() + "." : fmt::format("{}. {} more like this.", texts.front(), more));
    }
}

}  // namespace

std::vector<Note> notes_of(const analysis::RunResult& result) {
    Notes notes;
    put_insights(notes, result);
    put_warnings(notes, result);
    return std::move(notes).in_order();
}

std::string notes_text(const analysis::RunResult& result, std::size_t most) {
    const auto notes = notes_of(result);
    std::string text = notes.empty() ? "" : "\nNotes\n";
    for (std::size_t i = 0; i < std::min(most, notes.size()); ++i) {
        text += fmt::format("  {}. {}\n", i + 1, printable(notes[i].text));
        text += notes[i].fix.empty() ? "" : fmt::format("     Fix: {}\n", printable(notes[i].fix));
    }
    if (notes.size() > most) {
        text += fmt::format("  {} more: 'fathom show {} --notes'.\n", notes.size() - most, result.run.id);
    }
    return text;
}

}  // namespace fathom::report

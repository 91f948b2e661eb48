#include "tune/files/between.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "tune/model/costing.hpp"
#include "tune/model/crossings.hpp"
#include "tune/model/library_models.hpp"

namespace fathom::tune {
namespace {

bool same_decision(const Rule& a, const Rule& b) {
    return a.algorithm == b.algorithm && a.fanout == b.fanout && a.segment == b.segment &&
           a.requests == b.requests;
}

bool same_rules(const std::vector<Rule>& a, const std::vector<Rule>& b) {
    return std::ranges::equal(a, b, [](const Rule& one, const Rule& other) {
        return one.first == other.first && one.last == other.last && same_decision(one, other);
    });
}

/// The rules of two numbers of processes that meet at some sizes.
struct Meeting {
    const Rule* low;
    const Rule* high;
    Bytes first;
    Bytes last;
};

/// Sizes for which the model prefers one of two algorithms.
struct Preferred {
    bool high;  ///< that of the higher number of processes
    Bytes first;
    Bytes last;
};

class Between {
  public:
    Between(const RuleSet& low, const RuleSet& high,
            const std::function<bool(const Rule& rule)>& takes_any_size, const RuleModel* model)
        : low_(low), high_(high), model_(model) {
        for (const auto& a : low.rules) {
            for (const auto& b : high.rules) {
                const Meeting met{&a, &b, std::max(a.first, b.first), std::min(a.last, b.last)};
                if (met.first <= met.last && takes_any_size(a) && takes_any_size(b)) {
                    add(met);
                }
            }
        }
    }

    std::vector<RuleSet> sets() {
        add_sets(low_.procs + 1, rules_for(low_.procs + 1), high_.procs - 1, rules_for(high_.procs - 1));
        return std::move(sets_);
    }

  private:
    void add(const Meeting& met) {
        if (same_decision(*met.low, *met.high)) {
            agreed_.push_back(met);
            return;
        }
        // Where the model orders both as they were measured.
        for (const auto& below : preferred(met, low_.procs)) {
            for (const auto& above : preferred(met, high_.procs)) {
                const Meeting both{met.low, met.high, std::max(below.first, above.first),
                                   std::min(below.last, above.last)};
                if (!below.high && above.high && both.first <= both.last) {
                    modelled_.push_back(both);
                }
            }
        }
    }

    [[nodiscard]] std::optional<CostCurve> cost_of_rule(const Rule& rule, int procs) const {
        const auto* const algorithm =
            rule.own_parameters ? model_of_library(model_->flavour, low_.operation, rule.algorithm) : nullptr;
        return algorithm == nullptr ? std::nullopt
                                    : std::optional(cost_of(algorithm->schedule(procs, {}), model_->network,
                                                            model_->layout(procs)));
    }

    /// From the first size to the last; nothing without a model of both. Change-overs are at powers of two,
    /// so that neighbouring numbers of processes share their rules.
    [[nodiscard]] std::vector<Preferred> preferred(const Meeting& met, int procs) const {
        if (model_ == nullptr) {
            return {};
        }
        const auto low = cost_of_rule(*met.low, procs);
        const auto high = cost_of_rule(*met.high, procs);
        if (!low || !high) {
            return {};
        }
        std::vector<Preferred> found;
        for (const auto& range : lower_envelope(std::array{*low, *high}, met.first, met.last)) {
            const bool final = range.last == met.last;
            const Bytes last{final ? range.last.count
                                   : static_cast<std::int64_t>(
                                         std::bit_floor(static_cast<std::uint64_t>(range.last.count + 1))) -
                                         1};
            const auto first = found.empty() ? met.first : Bytes{found.back().last.count + 1};
            if (first > last) {
                continue;
            }
            const bool prefers_high = range.curve == 1;
            if (!found.empty() && found.back().high == prefers_high) {
                found.back().last = last;
            } else {
                found.push_back({.high = prefers_high, .first = first, .last = last});
            }
        }
        return found;
    }

    [[nodiscard]] std::vector<Rule> rules_for(int procs) const {
        std::vector<Rule> rules;
        for (const auto& met : agreed_) {
            Rule rule = *met.low;
            rule.first = met.first;
            rule.last = met.last;
            rule.remark = fmt::format("not measured; as with {} and {} processes", low_.procs, high_.procs);
            rules.push_back(std::move(rule));
        }
        for (const auto& met : modelled_) {
            for (const auto& part : preferred(met, procs)) {
                Rule rule = part.high ? *met.high : *met.low;
                rule.first = part.first;
                rule.last = part.last;
                rule.remark = fmt::format("not measured; by the model, as with {} processes",
                                          part.high ? high_.procs : low_.procs);
                rules.push_back(std::move(rule));
            }
        }
        std::ranges::sort(rules, {}, &Rule::first);
        return rules;
    }

    /// Numbers of processes between two that have the same rules have these too.
    void add_sets(int first, std::vector<Rule> first_rules, int last, std::vector<Rule> last_rules) {
        if (same_rules(first_rules, last_rules)) {
            add_set(first, last, std::move(first_rules));
            return;
        }
        const int middle = first + (last - first) / 2;
        add_sets(first, std::move(first_rules), middle, rules_for(middle));
        add_sets(middle + 1, rules_for(middle + 1), last, std::move(last_rules));
    }

    void add_set(int first, int last, std::vector<Rule> rules) {
        if (rules.empty()) {
            return;
        }
        if (!sets_.empty() && sets_.back().last_procs + 1 == first && same_rules(sets_.back().rules, rules)) {
            sets_.back().last_procs = last;
            return;
        }
        auto set = high_;
        set.procs = first;
        set.last_procs = last;
        set.rules = std::move(rules);
        sets_.push_back(std::move(set));
    }

    const RuleSet& low_;
    const RuleSet& high_;
    const RuleModel* model_;
    std::vector<Meeting> agreed_;
    std::vector<Meeting> modelled_;
    std::vector<RuleSet> sets_;
};

}  // namespace

std::vector<RuleSet> sets_between(const RuleSet& low, const RuleSet& high,
                                  const std::function<bool(const Rule& rule)>& takes_any_size,
                                  const RuleModel* model) {
    return low.procs + 1 < high.procs ? Between(low, high, takes_any_size, model).sets()
                                      : std::vector<RuleSet>{};
}

}  // namespace fathom::tune

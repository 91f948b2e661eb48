#pragma once

#include <functional>
#include <vector>

#include "plan/choices.hpp"
#include "tune/files/rules.hpp"
#include "tune/model/layout.hpp"
#include "tune/model/network.hpp"

namespace fathom::tune {

/// What a library's algorithms cost with numbers of processes that were not measured.
struct RuleModel {
    plan::Flavour flavour = plan::Flavour::mpi;
    Network network;
    std::function<Layout(int procs)> layout;  ///< where so many processes would be
};

/// Rules for the numbers of processes between two that were measured. Where both decide the same, that. Where
/// they decide on different algorithms, the faster by the model, if it says the same as what was measured
/// with both numbers. Nothing else: of the library's own decision there is no model. Only algorithms that
/// `take_any_size` of a communicator. `model` may be null.
std::vector<RuleSet> sets_between(const RuleSet& low, const RuleSet& high,
                                  const std::function<bool(const Rule& rule)>& takes_any_size,
                                  const RuleModel* model);

}  // namespace fathom::tune

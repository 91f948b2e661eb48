#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/named_enum.hpp"
#include "plan/choices.hpp"
#include "tune/search/tuning.hpp"

namespace fathom::tune {

/// What a value of a parameter does to messages of all sizes together, since it holds for all of them.
enum class ValueVerdict { better, mixed, worse, same };
constexpr std::array<std::string_view, 4> enum_names(ValueVerdict /*unused*/) {
    return {"better", "mixed", "worse", "same"};
}

/// A value of a parameter beside the library's own one, at every size of every pattern.
struct ValueTrial {
    std::string value;
    std::vector<ProofPoint> points;  ///< by operation, in the order of sizes; none if it ended the job

    /// Sizes at which it is certainly faster, by `least_gain`, with a neighbouring size that is not slower.
    [[nodiscard]] std::vector<ProofPoint> faster() const;
    /// Sizes at which it is certainly slower, by more than `most_loss`.
    [[nodiscard]] std::vector<ProofPoint> slower() const;
    /// Better: faster somewhere and slower nowhere.
    [[nodiscard]] ValueVerdict verdict() const;
    /// The geometric mean of all gains.
    [[nodiscard]] double mean_gain() const;
};

/// A parameter and the values that were tried.
struct ParameterTrial {
    std::string variable;  ///< of the environment
    std::string standard;  ///< the library's own value; empty if it does not say
    std::vector<ValueTrial> values;

    /// The value to use: of the better ones that with the largest mean gain. Null if there is none.
    [[nodiscard]] const ValueTrial* best() const;
};

/// Which parameters carry messages faster, each by itself, and all of the best together.
struct ProtocolTuning {
    std::string library = {};  ///< its version, on one line
    plan::Flavour flavour = plan::Flavour::mpi;
    int procs = 0;
    int hosts = 1;
    std::string metric = {};
    std::vector<ParameterTrial> parameters = {};
    std::vector<std::string> left_out =
        {};  ///< variables of transports between hosts, where there is one host
    std::vector<std::pair<std::string, std::string>> proposed = {};   ///< variables, the most useful first
    std::vector<ProofPoint> proof = {};                               ///< with all that is proposed
    std::vector<std::pair<std::string, std::string>> taken_out = {};  ///< did not stand the proof together
    std::vector<std::pair<std::string, std::string>> unproven = {};   ///< there was no proof to stand

    /// Sets `proposed` from the best values.
    void propose();
    /// Takes the least useful one out of what is proposed: with all of them a size was slower, or failed.
    void take_out();
    /// Proposes nothing of what no proof was made for.
    void leave_unproven();
};

}  // namespace fathom::tune

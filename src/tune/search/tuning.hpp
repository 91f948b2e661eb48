#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/named_enum.hpp"
#include "plan/choices.hpp"
#include "tune/search/proposal.hpp"
#include "tune/search/race.hpp"

namespace fathom::tune {

/// Where the processes of a job were.
struct Placement {
    int hosts = 1;
    int procs_per_host = 1;  ///< the most
};

/// What was found for one operation with one number of processes.
struct TunedOperation {
    std::string operation;
    int procs = 0;
    std::vector<std::string> ways;  ///< implementations by number, the library's own decision first
    RaceResult race;
    Placement placement = {};
    std::vector<Proposal> proposals;  ///< of ways that a file can name
    /// What would be proposed, but gives wrong results for operators that do not commute, where a file's
    /// rules hold for those too.
    std::vector<Proposal> unordered = {};
    /// What would be proposed, but no proof found it faster at any size.
    std::vector<Proposal> unproven = {};

    std::vector<RaceTime> predictions = {};  ///< by a model, of ways that have one

    /// Points that would have been measured without a race.
    [[nodiscard]] std::size_t all_points() const { return ways.size() * race.best.size(); }
    /// What is proposed for a size; null if nothing is.
    [[nodiscard]] const Proposal* proposed_at(Bytes size) const {
        for (const auto& proposal : proposals) {
            if (proposal.first <= size && size <= proposal.last) {
                return &proposal;
            }
        }
        return nullptr;
    }
};

/// How calls with a library's file compare with calls without.
enum class ProofVerdict { faster, same, slower, undecided };
constexpr std::array<std::string_view, 4> enum_names(ProofVerdict /*unused*/) {
    return {"faster", "same", "slower", "undecided"};
}

/// A size of an operation in fresh jobs without the file and with it.
struct ProofPoint {
    std::string operation;
    int procs = 0;
    Bytes size;
    bool ruled = false;  ///< the file has a rule for it
    double before_ns = 0;
    stats::Interval before_range_ns = {};  ///< where it may lie: by this rules are judged
    double after_ns = 0;
    stats::Interval after_range_ns = {};
    std::optional<stats::Interval> before_ci95_ns = {};  ///< over launches; none of one, or if disturbed
    std::optional<stats::Interval> after_ci95_ns = {};

    [[nodiscard]] double gain() const { return before_ns / after_ns; }
    [[nodiscard]] stats::Interval gain_interval() const {
        return {before_range_ns.low / after_range_ns.high, before_range_ns.high / after_range_ns.low};
    }
    /// The same as a 95 % interval, where both times have one.
    [[nodiscard]] std::optional<stats::Interval> gain_ci95() const {
        return before_ci95_ns && after_ci95_ns ? std::optional(gain_interval()) : std::nullopt;
    }
    [[nodiscard]] ProofVerdict verdict() const;
    /// Certainly slower, by more than `most_loss`: its rule is taken out.
    [[nodiscard]] bool harmed() const;
};

/// A size that could not be measured in all launches with its rule: the library failed, or data were wrong.
struct FailedRule {
    std::string operation;
    int procs = 0;
    Bytes size;
    std::string reason;
};

/// What came of a proof.
struct Proof {
    std::vector<ProofPoint> points = {};
    std::vector<FailedRule> failed = {};

    /// Sizes without a rule that became slower, of operations that have rules and gain nothing by them over
    /// all sizes: that the library looks into its files costs more than they bring.
    [[nodiscard]] std::vector<ProofPoint> losses() const;
    /// Whether all rules were measured, no size lost by its rule, and there are no losses.
    [[nodiscard]] bool stands() const;
};

/// A size that became slower by more than this has lost by its rule: launches of one job differ by as much.
inline constexpr double most_loss = 0.02;

/// A file that the library reads.
struct LibraryFile {
    std::string path;
    std::string text;
};

/// What a tuning found, and what came of it.
struct Tuning {
    std::string library = {};  ///< its version, on one line
    plan::Flavour flavour = plan::Flavour::mpi;
    std::string platform = {};  ///< of a simulation
    std::string date = {};
    Placement placement = {};  ///< with the most processes
    std::string metric = {};
    plan::ReduceOp reduce_op = plan::ReduceOp::sum;  ///< of reductions
    /// What else decides which calls were measured, as plans have it.
    std::vector<std::pair<std::string, std::string>> settings = {};
    std::vector<TunedOperation> operations = {};
    std::vector<LibraryFile> files = {};
    std::vector<std::pair<std::string, std::string>> variables =
        {};  ///< of the environment, by which it reads them
    std::vector<ProofPoint> proof = {};
    /// Sizes whose rules did not stand the proof, or, without a rule, for which all of the operation's were
    /// given up.
    std::vector<ProofPoint> taken_out = {};
    std::vector<FailedRule> failed_rules = {};  ///< likewise

    [[nodiscard]] bool simulated() const { return flavour == plan::Flavour::smpi; }
};

}  // namespace fathom::tune

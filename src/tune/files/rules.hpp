#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.hpp"

/// Decisions of a tuning in the form that libraries read.
namespace fathom::tune {

/// What the size of a message is to a library's rules.
enum class Counted { of_a_process, of_all, not_at_all };

/// What a library is to use for calls of an operation with messages of some sizes.
struct Rule {
    Bytes first;  ///< smallest and largest size, as fathom counts sizes
    Bytes last;
    std::string algorithm;  ///< the library's name for it, without parameters
    int number = 0;         ///< the library's number for it
    std::int64_t fanout = 0;
    std::int64_t segment = 0;
    std::int64_t requests = 0;
    bool own_parameters = true;  ///< of the library
    std::string remark = {};     ///< what was measured, for people
};

/// The rules for an operation in communicators of some sizes; all else is the library's own decision.
struct RuleSet {
    std::string operation;
    int procs = 0;
    int last_procs = 0;       ///< for all from `procs` to this
    std::vector<Rule> rules;  ///< rising, without overlap, at least one
    bool commutative = true;  ///< what was measured, of reductions
    bool built_in = true;
};

/// What a file is made of.
struct RuleFile {
    std::vector<std::string> remarks;  ///< where and when it was measured, a line each
    std::vector<RuleSet> sets;         ///< by operation and number of processes, without overlap
};

}  // namespace fathom::tune

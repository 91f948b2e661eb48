#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tune/model/schedule.hpp"

namespace fathom::tune {

/// What algorithms leave open.
struct AlgorithmSettings {
    Bytes chain_segment{32'768};  ///< that of `reference:chain`
};

/// An algorithm that performs a collective, by the name that `reference:NAME` has. The operation's size is
/// the block of one process where processes have blocks, else the whole message, as fathom measures it.
struct Algorithm {
    std::string_view operation;
    std::string_view name;
    /// What it costs with a power of two of processes on a flat network: p processes, n bytes, b bytes in a
    /// block.
    std::string_view formula;
    Schedule (*schedule)(int procs, const AlgorithmSettings& settings);
};

/// All that have a model, by operation.
std::span<const Algorithm> algorithms();

/// Those of an operation; none if it has no model.
std::vector<const Algorithm*> algorithms_of(std::string_view operation);

/// The operations that have a model, each once.
std::vector<std::string> modelled_operations();

}  // namespace fathom::tune

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.hpp"
#include "journal/json.hpp"
#include "plan/choices.hpp"
#include "tune/search/tuning.hpp"

namespace fathom::tune {

/// An operation with one number of processes, and the sizes at which a proof measures it.
struct ProvenOperation {
    std::string operation;
    int procs = 0;
    std::vector<Bytes> sizes;  ///< rising
    std::vector<bool> ruled;   ///< whether a rule holds for each

    friend bool operator==(const ProvenOperation&, const ProvenOperation&) = default;
};

/// What a proof needs of a tuning: whose files, where they are, and what to measure.
struct ProofRequest {
    std::string library;
    plan::Flavour flavour = plan::Flavour::mpi;
    std::string metric;
    std::vector<ProvenOperation> operations;
    std::vector<std::pair<std::string, std::string>> variables;

    friend bool operator==(const ProofRequest&, const ProofRequest&) = default;
};

ProofRequest proof_request(const Tuning& tuning);

/// From a document `fathom.tune/1` whose form was checked (report::check_tuning_document). It may come from
/// anywhere, so it can name operations that there are, and no variables but those by which libraries read
/// such files. Throws BadInput otherwise.
ProofRequest proof_request(const nlohmann::ordered_json& document);

}  // namespace fathom::tune

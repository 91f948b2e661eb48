#include "tune/files/proof_request.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/named_enum.hpp"
#include "base/printable.hpp"
#include "plan/operations.hpp"

namespace fathom::tune {
namespace {

/// Others could make a job run anything.
constexpr auto tuning_variables = std::to_array<std::string_view>(
    {"OMPI_MCA_coll_tuned_use_dynamic_rules", "OMPI_MCA_coll_tuned_dynamic_rules_filename",
     "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE", "MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE"});

}  // namespace

ProofRequest proof_request(const Tuning& tuning) {
    ProofRequest request{.library = tuning.library,
                         .flavour = tuning.flavour,
                         .metric = tuning.metric,
                         .operations = {},
                         .variables = tuning.variables};
    for (const auto& tuned : tuning.operations) {
        ProvenOperation one{.operation = tuned.operation, .procs = tuned.procs, .sizes = {}, .ruled = {}};
        for (const auto& at : tuned.race.best) {
            one.sizes.push_back(at.size);
            one.ruled.push_back(tuned.proposed_at(at.size) != nullptr);
        }
        request.operations.push_back(std::move(one));
    }
    return request;
}

ProofRequest proof_request(const nlohmann::ordered_json& document) {
    const auto flavour = from_text<plan::Flavour>(document["flavour"].get<std::string>());
    if (!flavour) {
        throw BadInput(fmt::format("the tuning is of '{}', which is no MPI library that fathom knows.",
                                   printable_name(document["flavour"].get<std::string>())));
    }
    ProofRequest request{.library = document["library"].get<std::string>(),
                         .flavour = *flavour,
                         .metric = document["metric"].get<std::string>(),
                         .operations = {},
                         .variables = {}};
    for (const auto& tuned : document["operations"]) {
        ProvenOperation one{.operation = tuned["operation"].get<std::string>(),
                            .procs = tuned["procs"].get<int>(),
                            .sizes = {},
                            .ruled = {}};
        (void)plan::find_operation(one.operation);  // throws BadInput if there is none
        for (const auto& at : tuned["sizes"]) {
            one.sizes.push_back(Bytes{at["size_bytes"].get<std::int64_t>()});
            one.ruled.push_back(!at["proposed"].is_null());
        }
        if (one.sizes.empty()) {
            throw BadInput(fmt::format("the tuning names no sizes of {}.", one.operation));
        }
        request.operations.push_back(std::move(one));
    }
    for (const auto& file : document["files"]) {
        for (const auto& variable : file["variables"]) {
            auto name = variable["name"].get<std::string>();
            if (std::ranges::find(tuning_variables, name) == tuning_variables.end()) {
                throw BadInput(fmt::format(
                    "the tuning sets {}, by which no library reads files of a tuning; it is not used.",
                    printable_name(name)));
            }
            request.variables.emplace_back(std::move(name), variable["value"].get<std::string>());
        }
    }
    return request;
}

}  // namespace fathom::tune

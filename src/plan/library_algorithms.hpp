#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plan/choices.hpp"
#include "plan/operations.hpp"
#include "plan/protocol_parameters.hpp"

/// The algorithms that MPI libraries choose among, `--via library:NAME`. Which there are is asked of the
/// library that runs; here is only how its variables are named and read.
namespace fathom::plan {

/// One, as a name says: `chain` or `chain+segmentsize=8192+chain_fanout=2`.
struct LibraryAlgorithm {
    std::string name;
    std::vector<std::pair<std::string, std::string>> parameters;

    friend bool operator==(const LibraryAlgorithm&, const LibraryAlgorithm&) = default;
};

/// Reads such a name. Throws BadInput that says what to give.
LibraryAlgorithm library_algorithm(std::string_view text);

/// What a library offers for an operation.
struct LibraryOffer {
    std::vector<std::string> algorithms;  ///< of Open MPI also its components: `han`
    std::vector<std::string> parameters;  ///< that algorithms take, each some of them
    /// By which the library's files name those of its algorithms that have one; components have none.
    std::map<std::string, int, std::less<>> numbers = {};
    /// The values that the library runs with, of parameters.
    std::vector<std::pair<std::string, std::string>> standard = {};

    friend bool operator==(const LibraryOffer&, const LibraryOffer&) = default;
};
/// By the name of the operation.
using LibraryOffers = std::map<std::string, LibraryOffer, std::less<>>;

/// A library as it says of itself.
struct OfferedLibrary {
    std::string version;  ///< on one line
    std::string file;     ///< that its calls are in; empty if that is not known
    LibraryOffers operations = {};
    std::vector<ProtocolParameter> protocol = {};
    /// From which it takes decisions instead of its own, however it was told to.
    std::vector<std::string> rule_files = {};

    friend bool operator==(const OfferedLibrary&, const OfferedLibrary&) = default;
};

/// The control variables by which libraries find files of rules, as MPI_T names them.
extern const std::array<const char*, 3> rule_file_variables;

/// Throws BadInput, with what there is, if an offer for an operation has no such algorithm or parameter.
void check_offered(const LibraryAlgorithm& algorithm, const OperationInfo& operation,
                   const LibraryOffer& offer);

/// Whether the operation is a collective call, whose algorithm can be chosen.
bool has_library_algorithms(const OperationInfo& operation);

/// Where a library keeps the choice for one operation.
struct AlgorithmVariables {
    std::string choice;      ///< number of the algorithm
    std::string parameters;  ///< begins the names of those that algorithms take
    bool upper_case = false;
};

/// Of the operation's calls; nothing for libraries that let nobody choose.
std::optional<AlgorithmVariables> algorithm_variables(Flavour flavour, const OperationInfo& operation);

/// The same for algorithms within a host, which MPICH chooses apart.
std::optional<AlgorithmVariables> host_algorithm_variables(Flavour flavour, const OperationInfo& operation);
/// Begins the names of those.
inline constexpr std::string_view host_algorithm_prefix = "posix_";

/// Whether a component of Open MPI has the operation, as far as is known; one that has it not would leave it
/// to another without a word.
bool component_has(std::string_view component, const OperationInfo& operation);

/// The variable of a parameter of such an algorithm.
std::string parameter_variable(const AlgorithmVariables& variables, std::string_view parameter);

/// An algorithm and its number.
struct NumberedName {
    std::string name;
    int number = 0;

    friend bool operator==(const NumberedName&, const NumberedName&) = default;
};

/// Reads the names from MPICH's description of a choice for a collective, in the order of their numbers,
/// which begin at 0. Its lines are joined without a separator, so that a name follows the last word of the
/// description before it: `- Force Binomial Treenb    - Force ...`. Empty if they cannot be told apart with
/// certainty.
std::vector<NumberedName> names_in_description(std::string_view description, std::string_view collective);

/// What the environment of a job must have so that an algorithm can be chosen within it.
std::vector<std::pair<std::string, std::string>> choice_needs(Flavour flavour);

}  // namespace fathom::plan

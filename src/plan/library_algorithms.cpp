#include "plan/library_algorithms.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"

namespace fathom::plan {
namespace {

constexpr std::string_view how_to_name_one =
    "give library:NAME or library:NAME+PARAMETER=VALUE, such as library:chain+segmentsize=8192";

bool is_word(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](unsigned char letter) {
        return std::isalnum(letter) != 0 || letter == '_' || letter == '-' || letter == '.';
    });
}

std::string upper_case(std::string_view text) {
    std::string upper(text);
    std::ranges::transform(upper, upper.begin(), [](unsigned char letter) { return std::toupper(letter); });
    return upper;
}

/// `allreduce`, or `iallreduce` for the calls that return before it is done.
std::string called(const OperationInfo& operation) {
    return fmt::format("{}{}", operation.form == Form::blocking ? "" : "i", operation.call);
}

/// The calls that components of Open MPI 4.1 and 5.0 have. Others, of vendors, are not listed and taken at
/// their word.
struct ComponentCalls {
    std::string_view component;
    std::string_view calls;  ///< between blanks; empty: all of its forms
    bool blocking;
    bool nonblocking;
};
constexpr auto component_calls = std::to_array<ComponentCalls>({
    {"sm", " barrier bcast reduce allreduce ", true, false},
    {"xhc", " barrier bcast reduce allreduce ", true, false},
    {"han", " barrier bcast reduce allreduce gather scatter allgather ", true, false},
    {"adapt", " bcast reduce ", true, true},
    {"libnbc", "", false, true},
    {"basic", "", true, false},
    {"tuned",
     " barrier bcast reduce allreduce gather scatter allgather allgatherv alltoall alltoallv reduce_scatter "
     "reduce_scatter_block scan exscan ",
     true, false},
});

constexpr std::string_view automatic = "auto";

/// The name at the end of a token, where it begins after something that tells; empty if nothing does.
std::string_view marked_name(std::string_view token) {
    if (token.ends_with(automatic)) {
        const auto before = token.substr(0, token.size() - automatic.size());
        constexpr std::string_view scheduled = "sched_";
        return before.ends_with(scheduled) ? token.substr(before.size() - scheduled.size())
                                           : token.substr(before.size());
    }
    if (const auto bracket = token.rfind(')'); bracket != std::string_view::npos) {
        return token.substr(bracket + 1);
    }
    constexpr std::array<std::string_view, 2> families{"sched_", "tsp_"};
    for (const auto family : families) {
        if (const auto at = token.find(family); at != std::string_view::npos) {
            return token.substr(at);
        }
    }
    return {};
}

/// The same for the first one, which follows the words that introduce all.
std::string_view first_name(std::string_view token, std::string_view collective) {
    for (const auto before : {std::string_view("algorithm"), collective}) {
        if (token.starts_with(before)) {
            return token.substr(before.size());
        }
    }
    return {};
}

}  // namespace

const std::array<const char*, 3> rule_file_variables{"coll_tuned_dynamic_rules_filename",
                                                     "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE",
                                                     "MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE"};

LibraryAlgorithm library_algorithm(std::string_view text) {
    LibraryAlgorithm algorithm;
    bool first = true;
    for (const auto& part : split(text, '+')) {
        if (first) {
            algorithm.name = part;
            first = false;
            continue;
        }
        const auto equals = part.find('=');
        if (equals == std::string::npos) {
            throw BadInput(std::string(how_to_name_one));
        }
        algorithm.parameters.emplace_back(part.substr(0, equals), part.substr(equals + 1));
    }
    const bool words = std::ranges::all_of(algorithm.parameters, [](const auto& parameter) {
        return is_word(parameter.first) && is_word(parameter.second);
    });
    if (!is_word(algorithm.name) || !words) {
        throw BadInput(std::string(how_to_name_one));
    }
    return algorithm;
}

void check_offered(const LibraryAlgorithm& algorithm, const OperationInfo& operation,
                   const LibraryOffer& offer) {
    if (offer.algorithms.empty()) {
        throw BadInput(
            fmt::format("this library offers no algorithms of {} to choose from.", operation.name));
    }
    if (std::ranges::find(offer.algorithms, algorithm.name) == offer.algorithms.end()) {
        throw BadInput(fmt::format("this library has no algorithm '{}' of {}.{} (It has {}.)",
                                   printable_name(algorithm.name), operation.name,
                                   did_you_mean(algorithm.name, offer.algorithms),
                                   fmt::join(offer.algorithms, ", ")));
    }
    for (const auto& [name, value] : algorithm.parameters) {
        if (std::ranges::find(offer.parameters, name) == offer.parameters.end()) {
            throw BadInput(
                fmt::format("this library's algorithms of {} have no parameter '{}'.{}{}", operation.name,
                            printable_name(name), did_you_mean(name, offer.parameters),
                            offer.parameters.empty()
                                ? std::string()
                                : fmt::format(" (They have {}.)", fmt::join(offer.parameters, ", "))));
        }
    }
}

bool has_library_algorithms(const OperationInfo& operation) {
    return operation.form && *operation.form != Form::persistent && !operation.is(Fact::with_neighbours);
}

std::optional<AlgorithmVariables> algorithm_variables(Flavour flavour, const OperationInfo& operation) {
    const auto call = called(operation);
    switch (flavour) {
        case Flavour::openmpi: {
            const auto* const component = operation.form == Form::blocking ? "tuned" : "libnbc";
            return AlgorithmVariables{
                .choice = fmt::format("coll_{}_{}_algorithm", component, call),
                .parameters = operation.form == Form::blocking
                                  ? fmt::format("coll_{}_{}_algorithm_", component, call)
                                  : fmt::format("coll_{}_{}_", component, call)};
        }
        case Flavour::mpich:
            return AlgorithmVariables{.choice = fmt::format("MPIR_CVAR_{}_INTRA_ALGORITHM", upper_case(call)),
                                      .parameters = fmt::format("MPIR_CVAR_{}_", upper_case(call)),
                                      .upper_case = true};
        default:
            return std::nullopt;
    }
}

std::optional<AlgorithmVariables> host_algorithm_variables(Flavour flavour, const OperationInfo& operation) {
    if (flavour != Flavour::mpich || operation.form != Form::blocking) {
        return std::nullopt;
    }
    const auto call = upper_case(called(operation));
    return AlgorithmVariables{.choice = fmt::format("MPIR_CVAR_{}_POSIX_INTRA_ALGORITHM", call),
                              .parameters = fmt::format("MPIR_CVAR_{}_", call),
                              .upper_case = true};
}

bool component_has(std::string_view component, const OperationInfo& operation) {
    const auto* const known = std::ranges::find(component_calls, component, &ComponentCalls::component);
    if (known == component_calls.end()) {
        return true;
    }
    const bool form = operation.form == Form::blocking ? known->blocking : known->nonblocking;
    return form && (known->calls.empty() ||
                    known->calls.find(fmt::format(" {} ", operation.call)) != std::string_view::npos);
}

std::string parameter_variable(const AlgorithmVariables& variables, std::string_view parameter) {
    return variables.parameters + (variables.upper_case ? upper_case(parameter) : std::string(parameter));
}

std::vector<NumberedName> names_in_description(std::string_view description, std::string_view collective) {
    constexpr std::string_view separator = " - ";
    std::vector<NumberedName> names;
    std::optional<std::size_t> width;  // that names are padded to
    for (auto at = description.find(separator); at != std::string_view::npos;
         at = description.find(separator, at + separator.size())) {
        const auto end = description.find_last_not_of(' ', at) + 1;
        const auto begin = description.find_last_of(' ', end == 0 ? 0 : end - 1) + 1;
        const auto token = description.substr(begin, end - begin);
        const auto blanks = at + 1 - end;
        auto name = names.empty() ? first_name(token, collective) : marked_name(token);
        if (name.empty() && width && *width > blanks && *width - blanks <= token.size()) {
            name = token.substr(token.size() - (*width - blanks));
        }
        if (!is_word(name)) {
            return {};
        }
        // The line of `auto` is not padded.
        if (!name.ends_with(automatic)) {
            width = width.value_or(name.size() + blanks);
        }
        names.push_back({.name = std::string(name), .number = static_cast<int>(names.size())});
    }
    return names;
}

std::vector<std::pair<std::string, std::string>> choice_needs(Flavour flavour) {
    // Open MPI's tuned collectives ignore the choice of an algorithm without it.
    return flavour == Flavour::openmpi
               ? std::vector<std::pair<std::string, std::string>>{{"OMPI_MCA_coll_tuned_use_dynamic_rules",
                                                                   "1"}}
               : std::vector<std::pair<std::string, std::string>>{};
}

}  // namespace fathom::plan

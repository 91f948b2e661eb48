#include "tune/files/library_files.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/build_info.hpp"
#include "plan/implementations.hpp"
#include "tune/files/mpich_selection.hpp"
#include "tune/files/open_mpi_rules.hpp"

namespace fathom::tune {
namespace {

using plan::Flavour;

constexpr const char* open_mpi_switch = "OMPI_MCA_coll_tuned_use_dynamic_rules";
constexpr const char* open_mpi_file = "OMPI_MCA_coll_tuned_dynamic_rules_filename";
constexpr const char* mpich_file = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE";
constexpr const char* mpich_device_file = "MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE";

/// The algorithm that an implementation names; nothing for the library's own decision.
std::optional<plan::LibraryAlgorithm> algorithm_of(const std::string& way) {
    const auto implementation = plan::implementation_from(way);
    return implementation.forced() ? std::optional(plan::library_algorithm(implementation.name))
                                   : std::nullopt;
}

/// A parameter of an Open MPI algorithm that a rule has a number for.
std::int64_t* field_of(Rule& rule, std::string_view parameter) {
    if (parameter == "segmentsize") {
        return &rule.segment;
    }
    if (parameter == "max_requests") {
        return &rule.requests;
    }
    return parameter == "chain_fanout" ? &rule.fanout : nullptr;
}

/// The number that a parameter's value is; nothing for other values.
std::optional<std::int64_t> parameter_number(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && value >= 0 ? std::optional(value)
                                                                                  : std::nullopt;
}

/// Begins the names of MPICH's algorithms that take parameters which its files name as conditions.
constexpr std::string_view by_transport = "tsp_";

std::string gain_text(const Proposal& proposal) {
    return proposal.sizes.size() == 1
               ? fmt::format("{:.2f} times as fast", proposal.least_gain)
               : fmt::format("{:.2f} to {:.2f} times as fast", proposal.least_gain, proposal.most_gain);
}

std::string placement_text(const Placement& placement) {
    return placement.hosts == 1
               ? std::string("on one host")
               : fmt::format("on {} hosts with up to {}", placement.hosts, placement.procs_per_host);
}

}  // namespace

LibraryFiles::LibraryFiles(Flavour flavour, const plan::OfferedLibrary& library, std::string_view bytes)
    : flavour_(flavour), library_(library) {
    if (flavour == Flavour::openmpi) {
        if (!open_mpi_version(library.version)) {
            obstacle_ = fmt::format("its version is not known ({})", short_version(library.version));
        }
    } else if (flavour == Flavour::mpich) {
        if (const auto found = mpich_selections(bytes)) {
            algorithms_ = found->algorithms;
            compositions_ = found->compositions;
        } else {
            obstacle_ = fmt::format("{} holds no selection of algorithms that a file could replace",
                                    library.file.empty() ? "the library" : library.file);
        }
    } else {
        obstacle_ = flavour == Flavour::smpi ? "a simulation reads none"
                                             : "fathom does not know which files this library reads";
    }
}

bool LibraryFiles::has(const std::string& operation, const std::string& way) const {
    const auto algorithm = algorithm_of(way);
    if (!obstacle_.empty() || !algorithm) {
        return false;
    }
    if (flavour_ == Flavour::mpich) {
        return algorithm->parameters.empty() && !algorithm->name.starts_with(plan::host_algorithm_prefix) &&
               !algorithm->name.starts_with(by_transport) && mpich_selects(algorithms_, operation);
    }
    const auto offer = library_.operations.find(operation);
    const bool with_requests = open_mpi_has_requests(open_mpi_version(library_.version).value());
    Rule rule;
    return offer != library_.operations.end() && offer->second.numbers.contains(algorithm->name) &&
           open_mpi_has_rules(operation) &&
           std::ranges::all_of(algorithm->parameters, [&](const auto& parameter) {
               const auto* const field = field_of(rule, parameter.first);
               return field != nullptr && (field != &rule.requests || with_requests) &&
                      parameter_number(parameter.second);
           });
}

std::function<bool(std::size_t way)> LibraryFiles::usable(const TunedOperation& tuned) const {
    if (flavour_ == Flavour::smpi) {
        return {};
    }
    return [this, &tuned](std::size_t way) { return has(tuned.operation, tuned.ways[way]); };
}

bool LibraryFiles::holds_for_any_order(const std::string& operation) const {
    return flavour_ == Flavour::openmpi && open_mpi_reduces(operation);
}

Rule LibraryFiles::rule_of(const TunedOperation& tuned, const Proposal& proposal) const {
    const auto algorithm = algorithm_of(tuned.ways[proposal.way]).value();
    Rule rule{.first = proposal.first,
              .last = proposal.last,
              .algorithm = algorithm.name,
              .own_parameters = algorithm.parameters.empty(),
              .remark = fmt::format("{}, {}", gain_text(proposal), placement_text(tuned.placement))};
    const auto& offer = library_.operations.at(tuned.operation);
    if (offer.numbers.contains(algorithm.name)) {
        rule.number = offer.numbers.at(algorithm.name);
    }
    // A rule says everything: what was not given was measured with the library's own value.
    for (const auto* const values : {&offer.standard, &algorithm.parameters}) {
        for (const auto& [name, value] : *values) {
            if (auto* const field = field_of(rule, name)) {
                *field = parameter_number(value).value_or(0);
            }
        }
    }
    return rule;
}

RuleFile LibraryFiles::rules_of(const Tuning& tuning, const RuleModel* model) const {
    RuleFile file;
    file.remarks = {fmt::format("Written by fathom {} on {} for {}.", build_info().version, tuning.date,
                                short_version(tuning.library)),
                    fmt::format("Times are the {} of calls.", tuning.metric),
                    "Rules hold for every communicator of these sizes, however its processes are placed."};
    std::map<std::string, std::map<int, RuleSet>> by_operation;
    for (const auto& tuned : tuning.operations) {
        RuleSet set{.operation = tuned.operation,
                    .procs = tuned.procs,
                    .last_procs = tuned.procs,
                    .rules = {},
                    .commutative = plan::commutes(tuning.reduce_op),
                    .built_in = plan::built_in(tuning.reduce_op)};
        for (const auto& proposal : tuned.proposals) {
            set.rules.push_back(rule_of(tuned, proposal));
        }
        by_operation[tuned.operation][tuned.procs] = std::move(set);
    }
    for (const auto& [operation, sets] : by_operation) {
        const RuleSet* before = nullptr;
        for (const auto& [procs, set] : sets) {
            if (before != nullptr) {
                const auto takes_any_size = [&, &name = operation](const Rule& rule) {
                    return flavour_ == Flavour::mpich
                               ? mpich_takes_any_size(algorithms_, name, rule.algorithm)
                               : open_mpi_takes_any_size(rule.algorithm);
                };
                std::ranges::move(sets_between(*before, set, takes_any_size, model),
                                  std::back_inserter(file.sets));
            }
            if (!set.rules.empty()) {
                file.sets.push_back(set);
            }
            before = &set;
        }
    }
    return file;
}

void LibraryFiles::put(Tuning& tuning, const std::string& prefix, const RuleModel* model) const {
    tuning.files.clear();
    tuning.variables.clear();
    const auto rules = rules_of(tuning, model);
    if (!obstacle_.empty() || rules.sets.empty()) {
        return;
    }
    const auto add = [&](const std::string& ending, std::string text, const char* variable) {
        tuning.files.push_back({.path = prefix + ending, .text = std::move(text)});
        tuning.variables.emplace_back(variable, tuning.files.back().path);
    };
    if (flavour_ == Flavour::openmpi) {
        tuning.variables.emplace_back(open_mpi_switch, "1");
        add(".rules", open_mpi_rules(rules, open_mpi_version(library_.version).value()), open_mpi_file);
        return;
    }
    add(".json", mpich_selection(rules, algorithms_), mpich_file);
    if (auto device = mpich_compositions(rules, compositions_)) {
        add(".device.json", std::move(*device), mpich_device_file);
    }
}

std::string short_version(std::string_view library) {
    return std::string(library.substr(0, library.find_first_of(",;")));
}

}  // namespace fathom::tune

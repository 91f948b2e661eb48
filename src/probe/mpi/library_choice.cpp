#include "probe/mpi/library_choice.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

#include <fmt/format.h>

#include "base/error.hpp"
#include "probe/mpi/check.hpp"
#include "probe/mpi/flavour.hpp"
#include "probe/mpi/simulated_collectives.hpp"

namespace fathom::probe::mpi {
namespace {

using plan::AlgorithmVariables;
using plan::NumberedName;
using plan::OperationInfo;

/// Names of what leaves the decision to the library, as it does anyway.
constexpr std::string_view ignored = "ignore";
constexpr std::string_view automatic = "auto";

/// The algorithms that a variable chooses among.
std::vector<NumberedName> algorithms_of(const AlgorithmVariables& variables, const OperationInfo& operation) {
    if (ControlVariables::constant(variables.choice)) {
        return {};
    }
    auto names = ControlVariables::values(variables.choice);
    if (names.empty()) {
        names = plan::names_in_description(ControlVariables::description(variables.choice), operation.call);
        // The order is trusted as far as what nobody has changed confirms it.
        const auto found = std::ranges::find(names, automatic, &NumberedName::name);
        const bool changed = std::getenv(variables.choice.c_str()) != nullptr;
        if (found == names.end() ||
            (!changed && ControlVariables::text(variables.choice) != std::to_string(found->number))) {
            return {};
        }
    }
    // Including MPICH's `sched_auto`, which it does not have.
    std::erase_if(names,
                  [](const auto& one) { return one.name == ignored || one.name.ends_with(automatic); });
    return names;
}

/// The variable that an Open MPI component for collectives has.
std::string priority_of(std::string_view component) {
    return fmt::format("coll_{}_priority", component);
}

/// Open MPI's components for collectives that can be preferred to others. Those that are left out perform
/// none by themselves, or only on communicators of other kinds.
std::vector<std::string> components(const OperationInfo& operation) {
    constexpr std::string_view prefix = "coll_";
    constexpr std::array<std::string_view, 5> left_out{"self", "inter", "sync", "monitoring", "demo"};
    std::vector<std::string> found;
    for (const auto& name : ControlVariables::names()) {
        const auto end = name.starts_with(prefix) ? name.find('_', prefix.size()) : std::string::npos;
        if (end == std::string::npos) {
            continue;
        }
        auto component = name.substr(prefix.size(), end - prefix.size());
        if (name == priority_of(component) && plan::component_has(component, operation) &&
            std::ranges::find(left_out, component) == left_out.end()) {
            found.push_back(std::move(component));
        }
    }
    return found;
}

/// Ends the name of MPICH's variable that lets its device perform a collective in its own way.
constexpr std::string_view by_device = "device_collective";

/// What MPICH does where an algorithm cannot be used: 0 is an error, others are to use another one.
constexpr const char* fallback_variable = "MPIR_CVAR_COLLECTIVE_FALLBACK";
constexpr const char* fallback_is_an_error = "0";
/// In the names of algorithms that call the same collective on parts of a communicator, which cannot be
/// performed by them again.
constexpr std::string_view within_itself = "smp";

/// Open MPI's key for the components that a communicator prefers.
constexpr const char* preference_key = "ompi_comm_coll_preference";

MPI_Comm duplicate(MPI_Comm communicator, const std::string& component) {
    MPI_Comm made = MPI_COMM_NULL;
    if (component.empty()) {
        FATHOM_MPI(MPI_Comm_dup, communicator, &made);
    } else {
        MPI_Info info = MPI_INFO_NULL;
        FATHOM_MPI(MPI_Info_create, &info);
        FATHOM_MPI(MPI_Info_set, info, preference_key, component.c_str());
        FATHOM_MPI(MPI_Comm_dup_with_info, communicator, info, &made);
        FATHOM_MPI(MPI_Info_free, &info);
    }
    FATHOM_MPI(MPI_Comm_set_errhandler, made, MPI_ERRORS_RETURN);
    return made;
}

/// The parameters of algorithms: variables whose names begin alike, without those of something else.
std::vector<std::string> parameters_of(const AlgorithmVariables& variables) {
    constexpr std::array<std::string_view, 6> not_parameters{
        "count", "intra_algorithm", "inter_algorithm", "algorithm", by_device, "posix_intra_algorithm"};
    constexpr std::array<std::string_view, 2> other_operations{"init_", "block_"};
    std::vector<std::string> found;
    for (const auto& name : ControlVariables::names()) {
        if (!name.starts_with(variables.parameters)) {
            continue;
        }
        auto parameter = name.substr(variables.parameters.size());
        std::ranges::transform(parameter, parameter.begin(),
                               [](unsigned char letter) { return std::tolower(letter); });
        const bool other = std::ranges::any_of(
            other_operations, [&](std::string_view begin) { return parameter.starts_with(begin); });
        if (!other && std::ranges::find(not_parameters, parameter) == not_parameters.end() &&
            !ControlVariables::constant(name)) {
            found.push_back(std::move(parameter));
        }
    }
    return found;
}

}  // namespace

plan::LibraryOffer library_offer(const OperationInfo& operation) {
    plan::LibraryOffer offer;
    if (simulated) {
        if (operation.form == plan::Form::blocking) {
            offer.algorithms = simulated_algorithms(std::string(operation.call));
        }
        return offer;
    }
    const auto add = [&](const std::optional<AlgorithmVariables>& variables, std::string_view prefix) {
        for (const auto& one :
             variables ? algorithms_of(*variables, operation) : std::vector<NumberedName>{}) {
            offer.algorithms.push_back(fmt::format("{}{}", prefix, one.name));
            offer.numbers[offer.algorithms.back()] = one.number;
        }
    };
    const auto variables = plan::algorithm_variables(flavour, operation);
    add(variables, "");
    add(plan::host_algorithm_variables(flavour, operation), plan::host_algorithm_prefix);
    if (flavour == plan::Flavour::openmpi) {
        const auto whole = components(operation);
        offer.algorithms.insert(offer.algorithms.end(), whole.begin(), whole.end());
    }
    if (variables) {
        offer.parameters = parameters_of(*variables);
        for (const auto& name : offer.parameters) {
            offer.standard.emplace_back(name,
                                        ControlVariables::text(plan::parameter_variable(*variables, name)));
        }
    }
    return offer;
}

std::vector<std::string> rule_files_in_force() {
    std::vector<std::string> found;
    for (const auto* const name : plan::rule_file_variables) {
        if (auto file = ControlVariables::has(name) ? ControlVariables::text(name) : ""; !file.empty()) {
            found.push_back(std::move(file));
        }
    }
    return found;
}

std::vector<plan::ProtocolParameter> offered_protocol() {
    std::vector<plan::ProtocolParameter> offered;
    for (const auto& name : plan::protocol_parameters(flavour, ControlVariables::names())) {
        plan::ProtocolParameter parameter{.name = name, .standard = ControlVariables::text(name)};
        for (const auto& value : ControlVariables::values(name)) {
            parameter.named.push_back(value.name);
            if (std::to_string(value.number) == parameter.standard) {
                parameter.standard = value.name;
            }
        }
        offered.push_back(std::move(parameter));
    }
    return offered;
}

namespace {

[[noreturn]] void refuse(const plan::LibraryAlgorithm& algorithm, const OperationInfo& operation) {
    try {
        plan::check_offered(algorithm, operation, library_offer(operation));
    } catch (const BadInput& error) {
        throw Unavailable(error.what());
    }
    throw Unavailable(fmt::format("this library does not take the choice of {} now", algorithm.name));
}

}  // namespace

LibraryChoice::LibraryChoice(const plan::LibraryAlgorithm& algorithm, const OperationInfo& operation,
                             MPI_Comm communicator) {
    int size = 1;
    FATHOM_MPI(MPI_Comm_size, communicator, &size);
    if (size == 1) {  // some crash: Open MPI's linear exscan
        throw Unavailable("one process alone needs no algorithm");
    }
    if (simulated) {
        const auto offered = library_offer(operation).algorithms;
        if (!algorithm.parameters.empty() || std::ranges::find(offered, algorithm.name) == offered.end()) {
            refuse(algorithm, operation);
        }
        simulated_ = operation.call;
        choose_simulated(simulated_, algorithm.name);
        communicator_ = duplicate(communicator, {});
        return;
    }
    try {
        // Open MPI decides when a communicator is made, others with every call.
        communicator_ = duplicate(communicator, choose(algorithm, operation));
    } catch (...) {
        restore();
        throw;
    }
}

std::string LibraryChoice::choose(const plan::LibraryAlgorithm& algorithm, const OperationInfo& operation) {
    const bool within_hosts = algorithm.name.starts_with(plan::host_algorithm_prefix);
    const auto variables = within_hosts ? plan::host_algorithm_variables(flavour, operation)
                                        : plan::algorithm_variables(flavour, operation);
    if (!variables) {
        refuse(algorithm, operation);
    }
    const auto name = algorithm.name.substr(within_hosts ? plan::host_algorithm_prefix.size() : 0);
    const auto names = algorithms_of(*variables, operation);
    const auto chosen = std::ranges::find(names, name, &NumberedName::name);
    const bool component = chosen == names.end();
    if (component && (flavour != plan::Flavour::openmpi || !ControlVariables::has(priority_of(name)) ||
                      !plan::component_has(name, operation))) {
        refuse(algorithm, operation);
    }
    const bool takes_all = std::ranges::all_of(algorithm.parameters, [&](const auto& parameter) {
        return ControlVariables::has(plan::parameter_variable(*variables, parameter.first));
    });
    if (!takes_all) {
        refuse(algorithm, operation);
    }
    if (!component) {
        set(variables->choice, std::to_string(chosen->number));
    }
    if (flavour == plan::Flavour::mpich) {
        set(plan::parameter_variable(*variables, by_device), within_hosts ? "1" : "0");
        may_be_strict_ = name.find(within_itself) == std::string::npos;
    }
    for (const auto& [parameter, value] : algorithm.parameters) {
        set(plan::parameter_variable(*variables, parameter), value);
    }
    return component ? name : std::string();
}

LibraryChoice::~LibraryChoice() {
    MPI_Comm_free(&communicator_);
    restore();
}

void LibraryChoice::strictly(const std::function<void()>& call) const {
    if (!may_be_strict_) {
        call();
        return;
    }
    const auto before = ControlVariables::text(fallback_variable);
    ControlVariables::set(fallback_variable, fallback_is_an_error);
    try {
        call();
    } catch (...) {
        ControlVariables::set(fallback_variable, before);
        throw;
    }
    ControlVariables::set(fallback_variable, before);
}

void LibraryChoice::set(const std::string& variable, const std::string& value) {
    const auto before = ControlVariables::text(variable);
    ControlVariables::set(variable, value);
    before_.insert(before_.begin(), {variable, before});
}

void LibraryChoice::restore() noexcept {
    if (!simulated_.empty()) {
        choose_simulated(simulated_, "default");
    }
    for (const auto& [variable, value] : before_) {
        try {
            ControlVariables::set(variable, value);
        } catch (const Unavailable&) {  // it took another value before
        }
    }
    before_.clear();
}

}  // namespace fathom::probe::mpi

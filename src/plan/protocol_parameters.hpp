#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plan/choices.hpp"

/// Parameters of MPI libraries that decide how messages are carried: from which size on a sender waits for
/// the receiver, in which pieces data go, and whether they are copied once or twice. Which there are is asked
/// of the library that runs; here is only what their names have in common.
namespace fathom::plan {

/// One, as a library says of itself.
struct ProtocolParameter {
    std::string name;                     ///< as MPI_T has it
    std::string standard;                 ///< the value that the library runs with
    std::vector<std::string> named = {};  ///< all values of one that has names for them

    friend bool operator==(const ProtocolParameter&, const ProtocolParameter&) = default;
};

/// Those of a library's parameters that are of this kind, in their order: first those within hosts.
std::vector<std::string> protocol_parameters(Flavour flavour, const std::vector<std::string>& all);

/// Whether a parameter is of a transport within hosts.
bool within_hosts(std::string_view parameter);

/// Values other than the standard one that are worth a try: all names, or sizes around the standard one.
std::vector<std::string> values_to_try(const ProtocolParameter& parameter);

/// The variable of the environment that sets a parameter.
std::string protocol_variable(Flavour flavour, std::string_view parameter);

}  // namespace fathom::plan

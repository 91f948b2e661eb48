#include "plan/protocol_parameters.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

namespace fathom::plan {
namespace {

/// What the names of such parameters begin and end with.
struct NameForm {
    Flavour flavour;
    std::string_view begin;
    std::string_view end;
};

constexpr auto name_forms = std::to_array<NameForm>({
    {Flavour::openmpi, "btl_", "_eager_limit"},
    {Flavour::openmpi, "btl_", "_max_send_size"},
    {Flavour::openmpi, "btl_", "_single_copy_mechanism"},
    {Flavour::mpich, "MPIR_CVAR_CH4_", "_EAGER_MAX_MSG_SIZE"},
    {Flavour::mpich, "MPIR_CVAR_CH4_", "_IQUEUE_CELL_SIZE"},
    {Flavour::mpich, "MPIR_CVAR_CH4_", "_P2P_THRESHOLD"},
});

/// Names that look so and carry no messages between processes, or only those of graphics processors.
constexpr auto others = std::to_array<std::string_view>({"btl_self_", "_rndv_", "btl_base_", "_GPU_"});

/// Parts of the names of transports within hosts.
constexpr auto transports_within_hosts =
    std::to_array<std::string_view>({"btl_vader_", "btl_sm_", "_POSIX_", "_XPMEM_", "_IPC_"});

/// Sizes to try, by the standard one. A protocol's switch costs at most a factor of two or so, and is seldom
/// wrong by less than what these cover.
constexpr std::array<double, 3> factors{0.25, 4, 16};
/// Sizes to try where the standard one is left to the transport.
constexpr std::array<std::int64_t, 3> sizes_to_try{1024, 16384, 262144};

std::optional<std::int64_t> number_in(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

bool contains_any(std::string_view name, const auto& parts) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

}  // namespace

std::vector<std::string> protocol_parameters(Flavour flavour, const std::vector<std::string>& all) {
    std::vector<std::string> found;
    std::copy_if(all.begin(), all.end(), std::back_inserter(found), [&](const std::string& name) {
        return !contains_any(name, others) &&
               std::any_of(name_forms.begin(), name_forms.end(), [&](const NameForm& form) {
                   return form.flavour == flavour && name.starts_with(form.begin) && name.ends_with(form.end);
               });
    });
    std::stable_partition(found.begin(), found.end(), within_hosts);
    return found;
}

bool within_hosts(std::string_view parameter) {
    return contains_any(parameter, transports_within_hosts);
}

std::vector<std::string> values_to_try(const ProtocolParameter& parameter) {
    std::vector<std::string> values;
    if (!parameter.named.empty()) {
        std::copy_if(parameter.named.begin(), parameter.named.end(), std::back_inserter(values),
                     [&](const auto& value) { return value != parameter.standard; });
        return values;
    }
    const auto standard = number_in(parameter.standard);
    if (standard && *standard > 0) {
        for (const double factor : factors) {
            values.push_back(
                fmt::format("{}", static_cast<std::int64_t>(factor * static_cast<double>(*standard))));
        }
    } else if (standard) {
        for (const auto size : sizes_to_try) {
            values.push_back(fmt::format("{}", size));
        }
    }
    return values;
}

std::string protocol_variable(Flavour flavour, std::string_view parameter) {
    return fmt::format("{}{}", flavour == Flavour::openmpi ? "OMPI_MCA_" : "", parameter);
}

}  // namespace fathom::plan

#include "probe/mpi/progress_thread.hpp"

#include <cstdlib>
#include <optional>

#include <fmt/format.h>
#include <mpi.h>

#include "plan/progress_thread.hpp"
#include "probe/mpi/check.hpp"
#include "probe/mpi/control_variables.hpp"
#include "probe/mpi/flavour.hpp"
#include "probe/mpi/thread_level.hpp"

namespace fathom::probe::mpi {

#ifdef FATHOM_SIMULATED
ProgressThread find_progress_thread() {
    return {.lack = "simulated messages need no processor", .text = "none"};
}
#else
namespace {

#ifdef OPEN_MPI
constexpr bool is_open_mpi = true;
#else
constexpr bool is_open_mpi = false;
#endif

/// `MPICH_ASYNC_PROGRESS=1`: what reached this process.
std::string settings_here() {
    std::string text;
    for (const auto& [name, wanted] : plan::progress_variables(flavour)) {
        if (const char* const value = std::getenv(name.c_str()); value != nullptr) {
            text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
        }
    }
    return text.empty() ? "no setting reached the processes" : text;
}

std::string how_to_ask() {
    std::string names;
    for (const auto& [name, value] : plan::progress_variables(flavour)) {
        names += fmt::format("{}{}={}", names.empty() ? "" : " or ", name, value);
    }
    return names;
}

/// The effect of a library switch; `when_on` is called if it is on.
ProgressThread by_switch(const char* name, const ProgressThread& when_on) {
    const auto value = ControlVariables::number(name);
    return value == 0 ? ProgressThread{.lack = fmt::format("its {} is 0; set {} where the job is started",
                                                           name, how_to_ask())}
                      : when_on;
}

/// Open MPI's has to do with TCP alone, which it takes for messages between hosts.
ProgressThread of_open_mpi() {
    constexpr const char* tcp_switch = "btl_tcp_progress_thread";
    if (!ControlVariables::has("pml_ob1_verbose") || !ControlVariables::has(tcp_switch)) {
        return {.lack = "Open MPI has one for TCP only, which it does not use here"};
    }
    const bool shared_memory = ControlVariables::has("btl_vader_flags") ||  // 4.x
                               ControlVariables::has("btl_sm_flags");       // 5.x
    return by_switch(tcp_switch, shared_memory ? ProgressThread{.between_hosts_only = true,
                                                                .text = "for messages between hosts only"}
                                               : ProgressThread{.text = "for all messages (TCP)"});
}

ProgressThread of_others() {
    constexpr const char* mpich_switch = "MPIR_CVAR_ASYNC_PROGRESS";
    return ControlVariables::has(mpich_switch)
               ? by_switch(mpich_switch, {.text = "for all messages"})
               : ProgressThread{.text = "the library does not report whether it created one"};
}

}  // namespace

ProgressThread find_progress_thread() {
    auto found = is_open_mpi ? of_open_mpi() : of_others();
    found.text = fmt::format("{}, {} provided; {}", settings_here(), constant_of(provided_thread_level()),
                             found.lack.empty() ? found.text : "none: " + found.lack);
    return found;
}
#endif

}  // namespace fathom::probe::mpi

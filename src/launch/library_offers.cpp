#include "launch/library_offers.hpp"

#include <unistd.h>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "journal/library_offers.hpp"
#include "launch/child.hpp"
#include "launch/command.hpp"
#include "launch/scratch_folder.hpp"
#include "plan/implementations.hpp"

namespace fathom::launch {
namespace {

/// Open MPI has the parameters of a transport only where processes could use it.
constexpr int asked_procs = 2;

}  // namespace

plan::OfferedLibrary offered_library(const Installation& here, plan::Flavour flavour) {
    const ScratchFolder folder;
    Request request;
    request.flavour = flavour;
    request.launcher = found_launcher(flavour);
    request.procs = asked_procs;
    request.room = {.hosts = {{.host = "", .ranks = asked_procs, .cores = 1}}};
    request.allow_root = ::geteuid() == 0;  // nothing is measured, nothing written
    request.variables = plan::choice_needs(flavour);
    request.probe = here.probe(flavour);
    request.job = journal::offers_option;
    if (flavour == plan::Flavour::smpi) {
        const auto all = platforms_in(here.platforms);
        if (all.empty()) {
            throw NotMeasured(fmt::format("there is no simulated platform in {}", here.platforms.string()));
        }
        request.platform = all.front();
        request.hostfile = folder.path() / "hosts";
        write_file(request.hostfile, request.platform->hostfile());
    }
    const auto output = output_of(command_for(request));
    if (auto library = journal::offers_from(output)) {
        return std::move(*library);
    }
    throw NotMeasured(fmt::format("{} did not say which algorithms it has: {}", to_text(flavour), output));
}

void check_library_algorithms(const plan::Plan& plan, const Installation& here) {
    if (!plan::chooses_algorithms(plan)) {
        return;
    }
    plan::LibraryOffers offers;
    try {
        offers = offered_library(here, plan.mpi.value()).operations;
    } catch (const NotMeasured&) {
        return;
    }
    for (const auto& text : plan.via) {
        const auto implementation = plan::implementation_from(text);
        if (!implementation.forced()) {
            continue;
        }
        const auto algorithm = plan::library_algorithm(implementation.name);
        for (const auto& name : plan.operations) {
            plan::check_offered(algorithm, plan::find_operation(name), offers[name]);
        }
    }
}

}  // namespace fathom::launch

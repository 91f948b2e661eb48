#include "launch/library_offers.hpp"

#include <chrono>
#include <cstring>
#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "journal/library_offers.hpp"
#include "launch/child.hpp"
#include "launch/command.hpp"
#include "plan/implementations.hpp"

namespace fathom::launch {
namespace {

namespace fs = std::filesystem;

/// A folder that is gone afterwards.
class Folder {
  public:
    Folder() {
        std::string name = "/tmp/fathom-XXXXXX";  // smpirun splits its arguments at blanks
        if (::mkdtemp(name.data()) == nullptr) {
            throw NotMeasured(fmt::format("cannot create a folder in /tmp: {}", std::strerror(errno)));
        }
        path_ = name;
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    [[nodiscard]] const fs::path& path() const { return path_; }

  private:
    fs::path path_;
};

std::string output_of(const Command& command) {
    constexpr std::chrono::seconds longest{60};  // a batch system may take its time
    constexpr std::chrono::milliseconds look_every{20};
    std::string output;
    Child child(command);
    const auto end = std::chrono::steady_clock::now() + longest;
    while (!child.ended() && std::chrono::steady_clock::now() < end) {
        output += child.read_output(look_every);
    }
    return output + child.read_output(std::chrono::milliseconds(0));
}

}  // namespace

plan::LibraryOffers library_offers(const Installation& here, plan::Flavour flavour) {
    const Folder folder;
    Request request;
    request.flavour = flavour;
    request.launcher = found_launcher(flavour);
    request.room = {.hosts = {{.host = "", .ranks = 1, .cores = 1}}};
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
    if (auto offers = journal::offers_from(output)) {
        return std::move(*offers);
    }
    throw NotMeasured(fmt::format("{} did not say which algorithms it has: {}", to_text(flavour), output));
}

void check_library_algorithms(const plan::Plan& plan, const Installation& here) {
    if (!plan::chooses_algorithms(plan)) {
        return;
    }
    plan::LibraryOffers offers;
    try {
        offers = library_offers(here, plan.mpi.value());
    } catch (const NotMeasured&) {
        return;
    }
    for (const auto& text : plan.via) {
        const auto implementation = plan::implementation_from(text);
        if (implementation.kind != plan::ImplementationKind::library || implementation.name.empty()) {
            continue;
        }
        const auto algorithm = plan::library_algorithm(implementation.name);
        for (const auto& name : plan.operations) {
            plan::check_offered(algorithm, plan::find_operation(name), offers[name]);
        }
    }
}

}  // namespace fathom::launch

#include "launch/command.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "found_launchers.hpp"
#include "machine/host_cores.hpp"
#include "plan/progress_thread.hpp"

namespace fathom::launch {
namespace {

/// What the launcher is told to bind ranks to; empty: nothing, so that ranks are bound as those of any
/// program. Ranks that share cores are not bound to one each, those with a progress thread always are; where
/// both are compared, the thread is to be all they differ by.
std::string binding_of(const Request& request, bool two_cores) {
    const bool as_with_thread = request.against_progress_thread && request.room.has_cores_for_progress() &&
                                request.bind == plan::Bind::launcher;
    if (two_cores || as_with_thread) {
        return "core";
    }
    switch (request.bind) {
        case plan::Bind::launcher:
            return {};
        case plan::Bind::core:
            return request.room.crowded() ? "none" : "core";
        case plan::Bind::none:
            break;
    }
    return "none";
}

/// The flavour's own launcher with the options it needs, up to where the program is appended.
std::vector<std::string> own_launcher(const Request& request) {
    const bool crowded = request.room.crowded();
    const auto procs = fmt::format("{}", request.procs);
    if (request.launcher.empty()) {
        throw BadInput(
            fmt::format("no launcher is known for flavour '{}'; name one with --launcher 'mpirun -n {{n}}'.",
                        to_text(request.flavour)));
    }
    const auto by_host = request.ranks_per_host ? fmt::format("{}", *request.ranks_per_host) : std::string();
    std::vector<std::string> words{request.launcher};
    const auto add = [&](std::initializer_list<std::string> more) { words.insert(words.end(), more); };
    const bool two_cores = request.progress_thread && request.room.has_cores_for_progress();
    const auto binding = binding_of(request, two_cores);
    switch (request.flavour) {
        case plan::Flavour::openmpi:
            add({"-n", procs});
            if (!binding.empty()) {
                add({"--bind-to", binding});
            }
            if (two_cores || request.ranks_per_host) {
                add({"--map-by",
                     fmt::format("{}{}", by_host.empty() ? "slot" : fmt::format("ppr:{}:node", by_host),
                                 two_cores ? ":PE=2" : "")});
            }
            if (crowded) {
                add({"--oversubscribe"});
            }
            // Its own parameters reach other hosts without being named.
            for (const auto& [name, value] : request.variables) {
                if (!name.starts_with("OMPI_")) {
                    add({"-x", name});
                }
            }
            break;
        case plan::Flavour::mpich:
            add({"-n", procs});
            if (!binding.empty()) {
                add({"-bind-to", two_cores ? "core:2" : binding});
            }
            if (!by_host.empty()) {
                add({"-ppn", by_host});
            }
            break;
        case plan::Flavour::smpi: {
            const auto& platform = request.platform.value();
            add({"-np", procs, "-platform", platform.file.string(), "-hostfile", request.hostfile.string(),
                 "--log=root.threshold:error", "--cfg=smpi/privatization:no"});
            // smpirun sets some of these itself, so that the ones in the platform file would lose.
            for (const auto& [key, value] : platform.config) {
                add({fmt::format("--cfg={}:{}", key, value)});
            }
            break;
        }
        case plan::Flavour::mpi:
            add({"-n", procs});
            break;
    }
    return words;
}

void replace_all(std::string& text, std::string_view what, const std::string& by) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
        text.replace(at, what.size(), by);
    }
}

std::vector<std::string> custom_launcher(const Request& request) {
    auto words = shell_words(request.custom);
    for (auto& word : words) {
        replace_all(word, procs_mark, fmt::format("{}", request.procs));
        if (request.ranks_per_host) {
            replace_all(word, ranks_per_host_mark, fmt::format("{}", *request.ranks_per_host));
        }
    }
    return words;
}

}  // namespace

std::string found_launcher(plan::Flavour flavour) {
    for (const auto& [name, path] : found_launchers) {
        if (name == to_text(flavour)) {
            return std::string(path);
        }
    }
    return {};
}

Command command_to_ask_for_cores(Request request) {
    // Unbound, so that all cores are seen, and as many ranks on a host as the launcher would ever place
    // there.
    request.room = {.hosts = {{.host = "", .ranks = 1, .cores = 0}}};
    request.progress_thread = false;
    request.bind = plan::Bind::none;
    request.job = machine::cores_option;
    return command_for(request);
}

Command command_for(const Request& request) {
    Command command;
    command.words = request.custom.empty() ? own_launcher(request) : custom_launcher(request);
    command.words.push_back(request.probe.string());
    command.words.push_back(request.job.string());
    if (request.thread_level != plan::ThreadLevel::single) {
        command.words.emplace_back(plan::thread_level_option);
        command.words.emplace_back(to_text(request.thread_level));
    }
    if (request.allow_root) {
        command.environment = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};
    }
    if (request.progress_thread) {
        const auto more = plan::progress_variables(request.flavour);
        command.environment.insert(command.environment.end(), more.begin(), more.end());
    }
    command.environment.insert(command.environment.end(), request.variables.begin(), request.variables.end());
    return command;
}

}  // namespace fathom::launch

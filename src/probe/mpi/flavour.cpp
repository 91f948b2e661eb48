#include "probe/mpi/flavour.hpp"

#include <array>
#include <dlfcn.h>

#include <fmt/format.h>
#include <mpi.h>

#include "base/text.hpp"
#include "probe/mpi/check.hpp"

namespace fathom::probe::mpi {

std::string library_version() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING + 1> text{};
    int length = 0;
    FATHOM_MPI(MPI_Get_library_version, text.data(), &length);
    std::string version;
    // MPICH answers with many lines of `name: value`; blanks and tabs are folded.
    for (const auto& line : split(std::string_view(text.data()), '\n')) {
        std::string folded;
        for (const char letter : line) {
            const bool blank = letter == ' ' || letter == '\t';
            if (!blank || (!folded.empty() && folded.back() != ' ')) {
                folded += blank ? ' ' : letter;
            }
        }
        if (!folded.empty()) {
            version += (version.empty() ? "" : "; ") + folded;
        }
    }
    return version;
}

std::string library_file() {
    Dl_info found{};
    const auto* const call = reinterpret_cast<const void*>(&MPI_Get_library_version);
    return ::dladdr(call, &found) != 0 && found.dli_fname != nullptr ? found.dli_fname : "";
}

std::string standard_version() {
    int major = 0;
    int minor = 0;
    FATHOM_MPI(MPI_Get_version, &major, &minor);
    return fmt::format("{}.{}", major, minor);
}

std::string processor_name() {
    std::array<char, MPI_MAX_PROCESSOR_NAME + 1> name{};
    int length = 0;
    FATHOM_MPI(MPI_Get_processor_name, name.data(), &length);
    return name.data();
}

}  // namespace fathom::probe::mpi

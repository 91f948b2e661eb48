#pragma once

#include <array>
#include <string>

#include <mpi.h>

namespace fathom::collectives {

/// An MPI call failed. Calls of a collective return the code, as MPI's own do.
struct MpiFailure {
    int code = MPI_SUCCESS;

    /// The library's words for it.
    [[nodiscard]] std::string text() const {
        std::array<char, MPI_MAX_ERROR_STRING + 1> words{};
        int length = 0;
        if (MPI_Error_string(code, words.data(), &length) != MPI_SUCCESS) {
            return "error code " + std::to_string(code);
        }
        return {words.data(), static_cast<std::size_t>(length)};
    }
};

inline void checked(int code) {
    if (code != MPI_SUCCESS) [[unlikely]] {
        throw MpiFailure{code};
    }
}

}  // namespace fathom::collectives

#include "probe/mpi/check.hpp"

#include <array>

#include <climits>
#include <fmt/format.h>

namespace fathom::probe::mpi {

int as_count(std::int64_t number, std::string_view what) {
    if (number > INT_MAX) {
        throw Unavailable(fmt::format("{} {} exceed MPI's 32-bit counts", number, what));
    }
    return static_cast<int>(number);
}

void fail(int code, const char* call) {
    std::array<char, MPI_MAX_ERROR_STRING + 1> text{};
    int length = 0;
    if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) {
        length = 0;
    }
    throw MpiError(fmt::format("{} failed: {}", call,
                               length > 0 ? std::string(text.data(), static_cast<std::size_t>(length))
                                          : fmt::format("error code {}", code)));
}

}  // namespace fathom::probe::mpi

#pragma once

#include <cstdint>
#include <string_view>

#include <mpi.h>

#include "base/error.hpp"

namespace fathom::probe::mpi {

/// A failed MPI call, with the name of the call and the library's error text.
class MpiError : public NotMeasured {
  public:
    using NotMeasured::NotMeasured;
};

/// A number of elements as MPI's calls take it. Throws Unavailable if it does not fit; `what` says of what.
int as_count(std::int64_t number, std::string_view what);

[[noreturn]] void fail(int code, const char* call);

inline void check(int code, const char* call) {
    if (code != MPI_SUCCESS) [[unlikely]] {
        fail(code, call);
    }
}

}  // namespace fathom::probe::mpi

/// Every MPI call goes through this: FATHOM_MPI(MPI_Send, buffer, count, ...).
/// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): the name of the call must reach the message
#define FATHOM_MPI(call, ...) ::fathom::probe::mpi::check(call(__VA_ARGS__), #call)

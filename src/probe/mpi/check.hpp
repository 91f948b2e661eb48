#pragma once

#include <stdexcept>
#include <string>

#include <mpi.h>

namespace fathom::probe::mpi {

/// An MPI call that did not succeed, with the name of the call and the library's own words.
class MpiError : public std::runtime_error {
  public:
    explicit MpiError(const std::string& sentence) : std::runtime_error(sentence) {}
};

/// This MPI library, machine or job cannot do what is asked, which is no error; the sentence says why.
class Unavailable : public std::runtime_error {
  public:
    explicit Unavailable(const std::string& reason) : std::runtime_error(reason) {}
};

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

#pragma once

#include <stdexcept>
#include <string>

namespace fathom {

/// Exit status of the programs; part of the documented interface.
enum class ExitStatus : int {
    done = 0,
    check_failed = 1,
    bad_input = 2,
    not_measured = 3,
    undecided = 4,  ///< a requested check could not be decided
    interrupted = 130,
};

/// What kind of failure an error is.
enum class ErrorCategory {
    bad_input,     ///< wrong usage or bad input: the sentence names the place and the fix
    unwritable,    ///< a file or stdout could not be written
    not_measured,  ///< the measurement could not be done
    unavailable,   ///< this MPI library, machine or job does not support the request; not an error
    unexpected,    ///< a bug in fathom
};

/// The one place where a failure becomes an exit status.
constexpr ExitStatus exit_status_of(ErrorCategory category) {
    return category == ErrorCategory::bad_input ? ExitStatus::bad_input : ExitStatus::not_measured;
}

/// The one way to fail: a sentence for the user and what kind of failure it is.
class Error : public std::runtime_error {
  public:
    Error(ErrorCategory category, const std::string& sentence)
        : std::runtime_error(sentence), category_(category) {}
    [[nodiscard]] ErrorCategory category() const noexcept { return category_; }
    [[nodiscard]] ExitStatus status() const noexcept { return exit_status_of(category_); }

  private:
    ErrorCategory category_;
};

/// An error of one category, so that it can be thrown and caught by its name.
template <ErrorCategory Category>
class ErrorOf : public Error {
  public:
    explicit ErrorOf(const std::string& sentence) : Error(Category, sentence) {}
};

using BadInput = ErrorOf<ErrorCategory::bad_input>;
using Unwritable = ErrorOf<ErrorCategory::unwritable>;
using NotMeasured = ErrorOf<ErrorCategory::not_measured>;
using Unavailable = ErrorOf<ErrorCategory::unavailable>;

}  // namespace fathom

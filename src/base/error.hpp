#pragma once

#include <stdexcept>
#include <string>

namespace fathom {

/// How the programs end; part of the outside contract.
enum class ExitStatus : int {
    done = 0,
    check_failed = 1,
    bad_input = 2,
    not_measured = 3,
    interrupted = 130,
};

/// The one way to fail: a sentence for the user and the status the program ends with.
class Error : public std::runtime_error {
  public:
    Error(ExitStatus status, const std::string& sentence) : std::runtime_error(sentence), status_(status) {}
    [[nodiscard]] ExitStatus status() const noexcept { return status_; }

  private:
    ExitStatus status_;
};

/// Wrong usage or bad input. The sentence names the place and the mend.
class BadInput : public Error {
  public:
    explicit BadInput(const std::string& sentence) : Error(ExitStatus::bad_input, sentence) {}
};

/// The measurement could not be done.
class NotMeasured : public Error {
  public:
    explicit NotMeasured(const std::string& sentence) : Error(ExitStatus::not_measured, sentence) {}
};

}  // namespace fathom

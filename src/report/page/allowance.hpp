#pragma once

#include <cstddef>

#include "journal/json.hpp"

namespace fathom::report {

/// How much a page may say of each point besides its figures, so that a page of thousands of points stays one
/// that can be mailed. What a point does not need is left to those after it.
class Allowance {
  public:
    /// For the details of so many points together, on so many processes in all. There is no limit where they
    /// are few.
    Allowance(std::size_t bytes, std::size_t points, std::size_t processes);

    /// Leaves out what matters least until the details of the next point fit. True if anything was left out.
    bool trim(nlohmann::ordered_json& details);

  private:
    std::size_t bytes_ = 0;
    std::size_t points_ = 0;
    bool limited_;
};

/// The details of all points of a page together, in bytes.
inline constexpr std::size_t details_of_a_page = 9'000'000;

}  // namespace fathom::report

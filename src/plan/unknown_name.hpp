#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace fathom::plan {

/// A name that no operation, preset or scheme has. The sentence quotes it, offers the nearest one and says
/// which `fathom list` shows all.
class UnknownName : public BadInput {
  public:
    UnknownName(std::string_view what, std::string_view name, const std::vector<std::string>& known,
                std::string_view list)
        : BadInput(fmt::format("no {} '{}'.{} ('fathom list {}' shows all.)", what, name,
                               did_you_mean(name, known), list)) {}
};

}  // namespace fathom::plan

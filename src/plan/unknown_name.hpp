#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace fathom::plan {

/// An unknown name. The sentence quotes it, suggests the nearest one and says how to list all.
class UnknownName : public BadInput {
  public:
    UnknownName(std::string_view what, std::string_view name, const std::vector<std::string>& known,
                std::string_view hint)
        : UnknownName(what, name, name, known, hint) {}
    /// `nearly`: the part of the name that may resemble a known one.
    UnknownName(std::string_view what, std::string_view name, std::string_view nearly,
                const std::vector<std::string>& known, std::string_view hint)
        : BadInput(fmt::format("no {} '{}'.{} ({}.)", what, name, did_you_mean(nearly, known), hint)) {}
    using BadInput::BadInput;
};

}  // namespace fathom::plan

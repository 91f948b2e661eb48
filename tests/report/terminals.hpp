#pragma once

#include "report/style.hpp"

namespace fathom::report {

inline constexpr Terminal plain{};
inline constexpr Terminal colourful{.interactive = true, .colour = true, .columns = 80};

}  // namespace fathom::report

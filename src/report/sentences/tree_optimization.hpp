#pragma once

#include <string>

#include "tree/improve/optimizer.hpp"

namespace fathom::report {

/// How much was tried, why no more, and how well the model foresaw it.
std::string sentence(const tree::Optimization& found);

}  // namespace fathom::report

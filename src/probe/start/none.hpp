#pragma once

#include "probe/loops/start.hpp"

namespace fathom::probe {

/// Back to back: for operations whose own messages keep the ranks in step.
class NoStart : public Start {
  public:
    void align() override {}
};

}  // namespace fathom::probe

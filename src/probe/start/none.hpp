#pragma once

#include "probe/interfaces/start.hpp"

namespace fathom::probe {

/// Back to back: for operations whose own messages keep the ranks in step.
class NoStart : public Start {
  public:
    [[nodiscard]] bool needs_lead_in() const override { return true; }
    bool align() override { return true; }
};

}  // namespace fathom::probe

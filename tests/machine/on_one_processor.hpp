#pragma once

#include <sched.h>

namespace fathom::machine {

/// Confines this process to one processor for the length of a test.
class OnOneProcessor {
  public:
    OnOneProcessor() {
        ::sched_getaffinity(0, sizeof before_, &before_);
        cpu_ = 0;
        while (!CPU_ISSET(static_cast<unsigned>(cpu_), &before_)) {
            ++cpu_;
        }
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<unsigned>(cpu_), &one);
        ::sched_setaffinity(0, sizeof one, &one);
    }
    OnOneProcessor(const OnOneProcessor&) = delete;
    OnOneProcessor& operator=(const OnOneProcessor&) = delete;
    ~OnOneProcessor() { ::sched_setaffinity(0, sizeof before_, &before_); }

    [[nodiscard]] int cpu() const { return cpu_; }

  private:
    cpu_set_t before_{};
    int cpu_ = 0;
};

}  // namespace fathom::machine

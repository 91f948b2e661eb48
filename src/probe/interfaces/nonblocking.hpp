#pragma once

namespace fathom::probe {

/// Communication in three calls, so that a program can compute in between.
class Nonblocking {
  public:
    Nonblocking() = default;
    Nonblocking(const Nonblocking&) = delete;
    Nonblocking& operator=(const Nonblocking&) = delete;
    virtual ~Nonblocking() = default;

    /// Starts it.
    virtual void post() = 0;
    /// Progresses it, and returns whether it has completed.
    virtual bool test() = 0;
    /// Returns when it has completed.
    virtual void wait() = 0;
};

}  // namespace fathom::probe

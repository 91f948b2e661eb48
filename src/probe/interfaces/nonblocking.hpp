#pragma once

namespace fathom::probe {

/// Communication in three calls, so that a program can do something else in between.
class Nonblocking {
  public:
    Nonblocking() = default;
    Nonblocking(const Nonblocking&) = delete;
    Nonblocking& operator=(const Nonblocking&) = delete;
    virtual ~Nonblocking() = default;

    /// Starts it.
    virtual void post() = 0;
    /// Lets it go on, and says whether it has ended.
    virtual bool test() = 0;
    /// Returns when it has ended.
    virtual void wait() = 0;
};

}  // namespace fathom::probe

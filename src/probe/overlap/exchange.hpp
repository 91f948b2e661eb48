#pragma once

namespace fathom::probe {

/// Communication in three calls, so that a program can do something else in between.
class Exchange {
  public:
    Exchange() = default;
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;
    virtual ~Exchange() = default;

    /// Starts it.
    virtual void post() = 0;
    /// Lets it go on, and says whether it has ended.
    virtual bool test() = 0;
    /// Returns when it has ended.
    virtual void wait() = 0;
};

}  // namespace fathom::probe

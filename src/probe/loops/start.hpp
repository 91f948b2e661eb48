#pragma once

namespace fathom::probe {

/// How the ranks of a repetition come to start together.
class Start {
  public:
    Start() = default;
    Start(const Start&) = delete;
    Start& operator=(const Start&) = delete;
    virtual ~Start() = default;

    /// Returns when this rank may start its call.
    virtual void align() = 0;
};

}  // namespace fathom::probe

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tree/tree.hpp"

namespace fathom::collectives {

/// Time stamps of one thread, in memory that was allocated and touched before. Not shared between threads.
class EventRing {
  public:
    explicit EventRing(std::size_t capacity) : events_(capacity) {}

    /// Keeps the event; in a full ring, counts it as dropped instead. What was kept first stays: a trace
    /// without gaps up to some call can be analysed, one whose ranks have lost different calls cannot.
    void put(const tree::Event& event) noexcept {
        if (used_ < events_.size()) [[likely]] {
            events_[used_] = event;
            ++used_;
        } else {
            ++dropped_;
        }
    }

    /// What is in it, oldest first.
    [[nodiscard]] std::span<const tree::Event> events() const noexcept { return {events_.data(), used_}; }
    [[nodiscard]] std::size_t capacity() const noexcept { return events_.size(); }
    /// Events that found the ring full: never lost silently.
    [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }

    void clear() noexcept {
        used_ = 0;
        dropped_ = 0;
    }

  private:
    std::vector<tree::Event> events_;
    std::size_t used_ = 0;
    std::uint64_t dropped_ = 0;
};

}  // namespace fathom::collectives

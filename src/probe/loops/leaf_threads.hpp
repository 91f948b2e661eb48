#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <thread>
#include <vector>

namespace fathom::probe {

/// Threads of this rank besides the one that measures, for operations in which several take part. They exist
/// as long as this does. Between two pieces of work they look for the next one for a while, then sleep.
class LeafThreads {
  public:
    /// Starts this many. `crowded` says that threads have to share cores, so that who waits lets others run.
    LeafThreads(int others, bool crowded);
    LeafThreads(const LeafThreads&) = delete;
    LeafThreads& operator=(const LeafThreads&) = delete;
    ~LeafThreads();

    /// Wakes those that sleep, so that the next piece of work finds them awake; not where they would take the
    /// caller's core.
    void alert();

    /// Runs work(thread) on all threads, on the caller's with 0, and returns when all have ended. What the
    /// first of them throws is thrown here.
    template <class Work>
    void perform(const Work& work) {
        if (others_.empty()) {
            work(0);
            return;
        }
        perform_on_all([](const void* state, int thread) { (*static_cast<const Work*>(state))(thread); },
                       &work);
    }

  private:
    using Body = void (*)(const void* state, int thread);

    /// Two cache lines each, since processors fetch them in pairs.
    struct alignas(128) Other {
        std::atomic<std::uint32_t> done{0};
        std::exception_ptr failure;
        std::thread thread;
    };

    void perform_on_all(Body body, const void* state);
    void release();
    /// Changes the order and wakes those that sleep over the old one.
    void give(std::uint32_t order);
    void end();
    void serve(int thread);
    /// Waits until there is work, and returns its number.
    [[nodiscard]] std::uint32_t wait_for_work(std::uint32_t done) const;
    void look_again(std::uint32_t& looks) const;

    bool crowded_;
    Body body_ = nullptr;
    const void* state_ = nullptr;
    bool ends_ = false;
    /// Twice the number of pieces of work so far, and one more if the next is announced.
    alignas(128) std::atomic<std::uint32_t> order_{0};
    std::vector<std::unique_ptr<Other>> others_;
};

}  // namespace fathom::probe

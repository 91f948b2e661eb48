#include "probe/loops/leaf_threads.hpp"

#include <sched.h>

namespace fathom::probe {
namespace {

/// Looks for work before a thread sleeps: estimated as some milliseconds on a core of its own, more than is
/// between two repetitions. Where threads share cores it sleeps soon: the thread that measures needs the core
/// to start at its time.
constexpr std::uint32_t looks_before_sleep = 1'000'000;
constexpr std::uint32_t looks_before_sleep_when_crowded = 16;
/// Looks without giving way to others where threads have cores of their own: as many as ranks make that wait
/// in a tree (collectives/waiting.hpp).
constexpr std::uint32_t looks_before_yield = 4096;

std::uint32_t number_of(std::uint32_t order) {
    return order / 2;
}

}  // namespace

LeafThreads::LeafThreads(int others, bool crowded) : crowded_(crowded) {
    for (int i = 0; i < others; ++i) {
        others_.push_back(std::make_unique<Other>());
    }
    // All are there before the first one starts: if one cannot be started, the others have to end.
    try {
        for (int i = 0; i < others; ++i) {
            others_[static_cast<std::size_t>(i)]->thread = std::thread([this, i] { serve(i + 1); });
        }
    } catch (...) {
        end();
        throw;
    }
}

LeafThreads::~LeafThreads() {
    end();
}

void LeafThreads::end() {
    ends_ = true;
    release();
    for (auto& other : others_) {
        if (other->thread.joinable()) {
            other->thread.join();
        }
    }
}

void LeafThreads::release() {
    give(2 * (number_of(order_.load(std::memory_order_relaxed)) + 1));
}

void LeafThreads::alert() {
    if (!others_.empty() && !crowded_) {
        give(2 * number_of(order_.load(std::memory_order_relaxed)) + 1);
    }
}

void LeafThreads::give(std::uint32_t order) {
    // notify_all() looks whether a thread sleeps. A store that is only a release may become visible after
    // that on x86-64, so that a thread falls asleep over the old order and is never woken.
    order_.store(order, std::memory_order_seq_cst);
    order_.notify_all();
}

void LeafThreads::perform_on_all(Body body, const void* state) {
    body_ = body;
    state_ = state;
    release();
    const auto number = number_of(order_.load(std::memory_order_relaxed));
    std::exception_ptr failure;
    try {
        body(state, 0);
    } catch (...) {
        failure = std::current_exception();
    }
    for (auto& other : others_) {
        std::uint32_t looks = 0;
        while (other->done.load(std::memory_order_acquire) != number) {
            look_again(looks);
        }
        if (!failure) {
            failure = other->failure;
        }
        other->failure = nullptr;
    }
    if (failure) {
        std::rethrow_exception(failure);
    }
}

void LeafThreads::serve(int thread) {
    auto& own = *others_[static_cast<std::size_t>(thread) - 1];
    std::uint32_t done = 0;
    while (true) {
        done = wait_for_work(done);
        if (ends_) {
            return;
        }
        try {
            body_(state_, thread);
        } catch (...) {
            own.failure = std::current_exception();
        }
        own.done.store(done, std::memory_order_release);
    }
}

std::uint32_t LeafThreads::wait_for_work(std::uint32_t done) const {
    const auto most = crowded_ ? looks_before_sleep_when_crowded : looks_before_sleep;
    std::uint32_t looks = 0;
    while (true) {
        const auto order = order_.load(std::memory_order_acquire);
        if (number_of(order) != done) {
            return number_of(order);
        }
        look_again(looks);
        // Once work is announced, it comes soon.
        const bool announced = order % 2 != 0;
        if (looks > (announced ? looks_before_sleep : most)) {
            order_.wait(order, std::memory_order_acquire);
            looks = 0;
        }
    }
}

void LeafThreads::look_again(std::uint32_t& looks) const {
    ++looks;
    if (crowded_ || looks > looks_before_yield) {
        ::sched_yield();
    }
}

}  // namespace fathom::probe

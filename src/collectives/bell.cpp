// Waking a rank that sleeps in the kernel.
#include <cerrno>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>

#include "collectives/shared_ring.hpp"

namespace fathom::collectives {
namespace {

/// A sleeper looks after MPI this often. Waking up a thousand times a second costs about a percent of a
/// processor.
constexpr long longest_sleep_ns = 1'000'000;
constexpr long ns_per_s = 1'000'000'000;

long futex(SharedNumber& word, int operation, std::uint32_t value, const timespec* timeout) {
    return ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation, value, timeout, nullptr,
                     0);
}

class Locked {
  public:
    explicit Locked(pthread_mutex_t& mutex) : mutex_(mutex) { pthread_mutex_lock(&mutex_); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;
    ~Locked() { pthread_mutex_unlock(&mutex_); }

  private:
    pthread_mutex_t& mutex_;
};

}  // namespace

Bell* make_bell(std::byte* memory) {
    auto* const bell = ::new (memory) Bell;
    pthread_mutexattr_t mutex{};
    pthread_mutexattr_init(&mutex);
    pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&bell->mutex, &mutex);
    pthread_mutexattr_destroy(&mutex);
    pthread_condattr_t condition{};
    pthread_condattr_init(&condition);
    pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
    pthread_condattr_setclock(&condition, CLOCK_MONOTONIC);
    pthread_cond_init(&bell->condition, &condition);
    pthread_condattr_destroy(&condition);
    return bell;
}

void remove_bell(Bell& bell) {
    pthread_cond_destroy(&bell.condition);
    pthread_mutex_destroy(&bell.mutex);
}

void ring(Bell& bell, tree::EdgeKind kind) {
    if (kind == tree::EdgeKind::futex) {
        bell.rung.fetch_add(1);
        if (bell.asleep.load() != 0) {
            futex(bell.rung, FUTEX_WAKE, 1, nullptr);
        }
    } else if (kind == tree::EdgeKind::condvar) {
        const Locked locked(bell.mutex);
        bell.rung.fetch_add(1);
        pthread_cond_signal(&bell.condition);
    }
}

void sleep_until_rung(Bell& bell, tree::EdgeKind kind, std::uint32_t seen) {
    if (kind == tree::EdgeKind::futex) {
        // Whoever rings after the kernel has compared sees that we are asleep; who rang before changed the
        // number.
        bell.asleep.store(1);
        const timespec longest{.tv_sec = 0, .tv_nsec = longest_sleep_ns};
        futex(bell.rung, FUTEX_WAIT, seen, &longest);
        bell.asleep.store(0);
        return;
    }
    timespec end{};
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_nsec += longest_sleep_ns;
    if (end.tv_nsec >= ns_per_s) {
        end.tv_nsec -= ns_per_s;
        ++end.tv_sec;
    }
    const Locked locked(bell.mutex);
    while (bell.rung.load() == seen) {
        if (pthread_cond_timedwait(&bell.condition, &bell.mutex, &end) == ETIMEDOUT) {
            return;
        }
    }
}

}  // namespace fathom::collectives

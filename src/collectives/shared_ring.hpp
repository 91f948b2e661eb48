#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <pthread.h>

#include "tree/tree.hpp"

/// Edges within a host: rings of two slots in memory that processes share, with one writer and one or more
/// readers.
namespace fathom::collectives {

/// No two processes write within this distance: two lines of 64 bytes, since processors fetch them in pairs.
inline constexpr std::size_t line_bytes = 128;
/// While one segment is read the next is written; a second call never waits for the readers of the first.
inline constexpr std::uint32_t ring_slots = 2;
/// Precedes the data of a slot: the number, and what aligns the data for every basic type. Data of up to 112
/// bytes come with the number in one line.
inline constexpr std::size_t slot_head_bytes = 16;

using SharedNumber = std::atomic<std::uint32_t>;
static_assert(SharedNumber::is_always_lock_free, "a number in shared memory must not need a lock");

constexpr std::size_t whole_lines(std::size_t bytes) {
    return (bytes + line_bytes - 1) / line_bytes * line_bytes;
}
constexpr std::size_t slot_stride(std::size_t capacity) {
    return whole_lines(slot_head_bytes + capacity);
}
/// A line for each reader's count of what it has read, then the slots.
constexpr std::size_t ring_bytes(std::size_t readers, std::size_t capacity) {
    return line_bytes * readers + slot_stride(capacity) * ring_slots;
}

/// Whether a is before b, of numbers that wrap around.
constexpr bool precedes(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::int32_t>(a - b) < 0;
}

class RingWriter {
  public:
    RingWriter() = default;
    /// Makes the ring in memory of whole lines; nobody reads it before that is done.
    RingWriter(std::byte* memory, std::size_t readers, std::size_t capacity)
        : counts_(memory),
          slots_(memory + line_bytes * readers),
          stride_(slot_stride(capacity)),
          readers_(readers) {
        for (std::size_t reader = 0; reader < readers; ++reader) {
            ::new (counts_ + line_bytes * reader) SharedNumber(0);
        }
        for (std::uint32_t slot = 0; slot < ring_slots; ++slot) {
            ::new (slots_ + stride_ * slot) SharedNumber(0);
        }
    }

    /// Whether all readers are done with what is in the next slot. Their counts are looked at only if what is
    /// known of them does not suffice: that costs a cache miss for each.
    [[nodiscard]] bool has_room() {
        if (!precedes(read_, written_ + 1 - ring_slots)) {
            return true;
        }
        auto least = written_;
        for (std::size_t reader = 0; reader < readers_; ++reader) {
            const auto count = number(counts_ + line_bytes * reader).load(std::memory_order_acquire);
            least = precedes(count, least) ? count : least;
        }
        read_ = least;
        return !precedes(read_, written_ + 1 - ring_slots);
    }
    /// Where to write, after has_room().
    [[nodiscard]] std::byte* slot() const {
        return slots_ + stride_ * (written_ % ring_slots) + slot_head_bytes;
    }
    /// Hands over what was written.
    void publish() {
        std::byte* const head = slots_ + stride_ * (written_ % ring_slots);
        ++written_;
        number(head).store(written_, std::memory_order_release);
    }
    [[nodiscard]] std::uint32_t written() const { return written_; }
    /// It is known otherwise that all readers are done with this many.
    void set_read(std::uint32_t count) { read_ = precedes(read_, count) ? count : read_; }

  private:
    static SharedNumber& number(std::byte* place) {
        return *std::launder(reinterpret_cast<SharedNumber*>(place));
    }

    std::byte* counts_ = nullptr;
    std::byte* slots_ = nullptr;
    std::size_t stride_ = 0;
    std::size_t readers_ = 0;
    std::uint32_t written_ = 0;
    std::uint32_t read_ = 0;  // at least this many by all readers
};

class RingReader {
  public:
    RingReader() = default;
    /// Of a ring that its writer has made, as reader number `reader` of `readers`.
    RingReader(std::byte* memory, std::size_t reader, std::size_t readers, std::size_t capacity)
        : count_(std::launder(reinterpret_cast<SharedNumber*>(memory + line_bytes * reader))),
          slots_(memory + line_bytes * readers),
          stride_(slot_stride(capacity)) {}

    [[nodiscard]] bool ready() const {
        const auto* const head = std::launder(reinterpret_cast<SharedNumber*>(place()));
        return head->load(std::memory_order_acquire) == read_ + 1;
    }
    [[nodiscard]] std::byte* slot() const { return place() + slot_head_bytes; }
    /// Done with the slot.
    void release() { skip(1); }
    /// Passes over what is for other readers, whether it is there yet or not.
    void skip(std::uint32_t slots) {
        read_ += slots;
        count_->store(read_, std::memory_order_release);
    }

  private:
    [[nodiscard]] std::byte* place() const { return slots_ + stride_ * (read_ % ring_slots); }

    SharedNumber* count_ = nullptr;
    std::byte* slots_ = nullptr;
    std::size_t stride_ = 0;
    std::uint32_t read_ = 0;
};

/// How a rank that sleeps is woken: one for each rank.
struct alignas(line_bytes) Bell {
    SharedNumber rung{0};
    SharedNumber asleep{0};
    pthread_mutex_t mutex{};
    pthread_cond_t condition{};
};
inline constexpr std::size_t bell_bytes = whole_lines(sizeof(Bell));

/// A bell that processes share.
Bell* make_bell(std::byte* memory);
void remove_bell(Bell& bell);

/// Wakes the rank of this bell, after something was published for it on an edge of this kind; nothing for a
/// flag.
void ring(Bell& bell, tree::EdgeKind kind);
/// Sleeps until it was rung since `seen`, but not for long: MPI needs calls to make progress. Kind: futex or
/// condvar.
void sleep_until_rung(Bell& bell, tree::EdgeKind kind, std::uint32_t seen);

}  // namespace fathom::collectives

#include "collectives/shared_ring.hpp"

#include <cstring>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace {

using namespace fathom;
using collectives::RingReader;
using collectives::RingWriter;
using tree::EdgeKind;

/// Memory that begins on a line, as windows are made to.
struct Lines {
    explicit Lines(std::size_t bytes)
        : memory(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{collectives::line_bytes}))) {
    }
    Lines(const Lines&) = delete;
    Lines& operator=(const Lines&) = delete;
    ~Lines() { ::operator delete (memory, std::align_val_t{collectives::line_bytes}); }

    std::byte* memory;
};

TEST(SharedRing, HandsOverInOrderToEveryReader) {
    constexpr std::size_t readers = 3;
    constexpr std::size_t capacity = 200;
    constexpr std::uint64_t values = 20'000;
    const Lines lines(collectives::ring_bytes(readers, capacity));
    RingWriter writer(lines.memory, readers, capacity);
    std::vector<std::uint64_t> wrong(readers);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < readers; ++i) {
        threads.emplace_back([&, i] {
            RingReader reader(lines.memory, i, readers, capacity);
            for (std::uint64_t value = 0; value < values; ++value) {
                while (!reader.ready()) {
                    std::this_thread::yield();
                }
                std::uint64_t seen = 0;
                std::memcpy(&seen, reader.slot(), sizeof seen);
                wrong[i] += seen == value ? 0U : 1U;
                reader.release();
            }
        });
    }
    for (std::uint64_t value = 0; value < values; ++value) {
        while (!writer.has_room()) {
            std::this_thread::yield();
        }
        std::memcpy(writer.slot(), &value, sizeof value);
        writer.publish();
    }
    for (auto& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(wrong, std::vector<std::uint64_t>(readers));
}

TEST(SharedRing, HasRoomForTwoUntilTheSlowestReaderHasRead) {
    const Lines lines(collectives::ring_bytes(2, 8));
    RingWriter writer(lines.memory, 2, 8);
    RingReader quick(lines.memory, 0, 2, 8);
    RingReader slow(lines.memory, 1, 2, 8);
    EXPECT_FALSE(quick.ready());
    for (int i = 0; i < 2; ++i) {
        ASSERT_TRUE(writer.has_room());
        writer.publish();
    }
    EXPECT_FALSE(writer.has_room());
    quick.release();
    EXPECT_FALSE(writer.has_room());
    slow.release();
    EXPECT_TRUE(writer.has_room());
}

TEST(SharedRing, WhatIsKnownOtherwiseSavesLookingAtTheReaders) {
    const Lines lines(collectives::ring_bytes(1, 8));
    RingWriter writer(lines.memory, 1, 8);
    writer.publish();
    writer.publish();
    EXPECT_FALSE(writer.has_room());
    writer.set_read(1);
    EXPECT_TRUE(writer.has_room());
    writer.set_read(0);
    EXPECT_TRUE(writer.has_room());
}

TEST(SharedRing, AReaderMaySkipWhatIsNotWrittenYet) {
    const Lines lines(collectives::ring_bytes(1, 8));
    RingWriter writer(lines.memory, 1, 8);
    RingReader reader(lines.memory, 0, 1, 8);
    reader.skip(3);
    for (int i = 0; i < 3; ++i) {
        EXPECT_FALSE(reader.ready());
        ASSERT_TRUE(writer.has_room());
        writer.publish();
    }
    EXPECT_FALSE(reader.ready());
    ASSERT_TRUE(writer.has_room());
    writer.publish();
    EXPECT_TRUE(reader.ready());
}

TEST(Bell, WakesASleeperThatNeverMissesARing) {
    for (const auto kind : {EdgeKind::futex, EdgeKind::condvar}) {
        const Lines lines(collectives::bell_bytes + collectives::ring_bytes(1, 8));
        auto& bell = *collectives::make_bell(lines.memory);
        std::byte* const ring = lines.memory + collectives::bell_bytes;
        RingWriter writer(ring, 1, 8);
        constexpr int values = 2'000;
        std::thread sleeper([&] {
            RingReader reader(ring, 0, 1, 8);
            for (int i = 0; i < values; ++i) {
                while (true) {
                    const auto seen = bell.rung.load();
                    if (reader.ready()) {
                        break;
                    }
                    collectives::sleep_until_rung(bell, kind, seen);
                }
                reader.release();
            }
        });
        for (int i = 0; i < values; ++i) {
            while (!writer.has_room()) {
                std::this_thread::yield();
            }
            writer.publish();
            collectives::ring(bell, kind);
        }
        sleeper.join();
        EXPECT_TRUE(writer.has_room());
        collectives::remove_bell(bell);
    }
}

}  // namespace

// Threads that perform leaves, and one that joins what they contribute, without MPI: what ThreadSanitizer can
// see of the collectives.
#include "collectives/leaf_path.hpp"

#include <cstring>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace {

using namespace fathom;
using collectives::Bell;
using collectives::EventRing;
using collectives::LeafCall;
using collectives::LeafEdge;
using collectives::LeafPath;
using collectives::RingReader;
using collectives::RingWriter;
using tree::EdgeKind;
using tree::Event;

constexpr std::size_t capacity = 64;

std::int64_t count_up(const void* state) {
    return ++*static_cast<std::int64_t*>(const_cast<void*>(state));
}

/// A join of some leaves in memory that threads share: what the rank's first thread does of a tree.
class Star {
  public:
    Star(std::size_t leaves, EdgeKind kind, bool crowded = true)
        : kind_(kind),
          bytes_(bells(leaves) + leaves * down_bytes() + collectives::ring_bytes(leaves, capacity)),
          memory_(static_cast<std::byte*>(::operator new(bytes_, alignment)), release) {
        std::byte* const rings = memory_.get() + bells(leaves);
        bell_ = collectives::make_bell(memory_.get());
        std::byte* const up = rings + leaves * down_bytes();
        up_ = RingWriter(up, leaves, capacity);
        for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
            leaf_bells_.push_back(
                collectives::make_bell(memory_.get() + (1 + leaf) * collectives::bell_bytes));
            std::byte* const down = rings + leaf * down_bytes();
            paths_.emplace_back(LeafEdge{.down = RingWriter(down, 1, capacity),
                                         .up = RingReader(up, leaf, leaves, capacity),
                                         .bell = leaf_bells_.back(),
                                         .parent_bell = bell_,
                                         .kind = kind,
                                         .collector = static_cast<std::uint32_t>(2 * leaf),
                                         .crowded = crowded});
            down_.emplace_back(down, 0, 1, capacity);
        }
    }
    Star(const Star&) = delete;
    Star& operator=(const Star&) = delete;
    ~Star() {
        collectives::remove_bell(*bell_);
        for (auto* const bell : leaf_bells_) {
            collectives::remove_bell(*bell);
        }
    }

    [[nodiscard]] LeafPath& leaf(std::size_t number) { return paths_[number]; }

    /// Waits for a number from every leaf, and returns their sum.
    std::int64_t join() {
        std::int64_t sum = 0;
        for (auto& reader : down_) {
            while (true) {
                const auto seen = bell_->rung.load();
                if (reader.ready()) {
                    break;
                }
                if (kind_ == EdgeKind::flag) {
                    std::this_thread::yield();
                } else {
                    collectives::sleep_until_rung(*bell_, kind_, seen);
                }
            }
            std::int64_t value = 0;
            std::memcpy(&value, reader.slot(), sizeof value);
            sum += value;
            reader.release();
        }
        return sum;
    }

    /// Gives a number to every leaf.
    void hand_up(std::int64_t value) {
        while (!up_.has_room()) {
            std::this_thread::yield();
        }
        std::memcpy(up_.slot(), &value, sizeof value);
        up_.publish();
        for (auto* const bell : leaf_bells_) {
            ring(*bell, kind_);
        }
    }

  private:
    static constexpr std::align_val_t alignment{collectives::line_bytes};
    static void release(std::byte* memory) { ::operator delete(memory, alignment); }
    static std::size_t bells(std::size_t leaves) { return (1 + leaves) * collectives::bell_bytes; }
    static std::size_t down_bytes() { return collectives::ring_bytes(1, capacity); }

    EdgeKind kind_;
    std::size_t bytes_;
    std::unique_ptr<std::byte, void (*)(std::byte*)> memory_;
    Bell* bell_ = nullptr;
    std::vector<Bell*> leaf_bells_;
    RingWriter up_;
    std::vector<RingReader> down_;
    std::vector<LeafPath> paths_;
};

constexpr collectives::Segments one_number{
    .elements = 1, .element_bytes = sizeof(std::int64_t), .per_segment = 1, .count = 1};

LeafCall allreduce_of(const std::int64_t& mine, std::int64_t& sum,
                      collectives::Segments segments = one_number) {
    return {.send = reinterpret_cast<const std::byte*>(&mine),
            .receive = reinterpret_cast<std::byte*>(&sum),
            .segments = segments,
            .down = true,
            .up = true};
}

class LeafPathOfKind : public ::testing::TestWithParam<EdgeKind> {};

TEST_P(LeafPathOfKind, HandsDownAndTakesResultsCallAfterCall) {
    constexpr std::size_t leaves = 3;
    constexpr std::int64_t calls = 3'000;
    Star star(leaves, GetParam());
    std::vector<std::int64_t> wrong(leaves);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < leaves; ++i) {
        threads.emplace_back([&, i] {
            for (std::int64_t call = 0; call < calls; ++call) {
                const std::int64_t mine = call * static_cast<std::int64_t>(i + 1);
                std::int64_t sum = -1;
                star.leaf(i).perform(allreduce_of(mine, sum));
                wrong[i] += sum == 6 * call ? 0 : 1;
            }
        });
    }
    for (std::int64_t call = 0; call < calls; ++call) {
        star.hand_up(star.join());
    }
    for (auto& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(wrong, std::vector<std::int64_t>(leaves));
    EXPECT_EQ(star.leaf(0).calls(), static_cast<std::uint32_t>(calls));
}

TEST_P(LeafPathOfKind, RunsAheadOnlyAsFarAsItsRingLetsIt) {
    constexpr std::int64_t calls = 1'000;
    Star star(1, GetParam());
    std::thread thread([&] {
        for (std::int64_t call = 0; call < calls; ++call) {
            star.leaf(0).perform(
                {.send = reinterpret_cast<const std::byte*>(&call), .segments = one_number, .down = true});
        }
    });
    std::int64_t wrong = 0;
    for (std::int64_t call = 0; call < calls; ++call) {
        wrong += star.join() == call ? 0 : 1;
    }
    thread.join();
    EXPECT_EQ(wrong, 0);
}

TEST_P(LeafPathOfKind, PipelinesSegments) {
    constexpr int segments = 50;
    Star star(1, GetParam());
    std::vector<std::int64_t> mine(segments);
    for (int i = 0; i < segments; ++i) {
        mine[static_cast<std::size_t>(i)] = 7 * i;
    }
    auto results = mine;
    std::thread thread([&] {
        auto call = allreduce_of(results.front(), results.front(),
                                 {.elements = segments,
                                  .element_bytes = sizeof(std::int64_t),
                                  .per_segment = 1,
                                  .count = segments});
        star.leaf(0).perform(call);
    });
    for (int i = 0; i < segments; ++i) {
        star.hand_up(star.join() + 1);
    }
    thread.join();
    for (auto& value : mine) {
        ++value;
    }
    EXPECT_EQ(results, mine);
}

TEST_P(LeafPathOfKind, PassesOverResultsForOthers) {
    Star star(2, GetParam());
    std::int64_t got = -1;
    std::thread thread([&] {
        const std::int64_t mine = 1;
        star.leaf(0).perform({.send = reinterpret_cast<const std::byte*>(&mine),
                              .segments = one_number,
                              .down = true,
                              .skipped = 1});
        star.leaf(0).perform(
            {.receive = reinterpret_cast<std::byte*>(&got), .segments = one_number, .up = true});
    });
    std::int64_t sum = 0;
    std::thread other([&] {
        const std::int64_t mine = 2;
        star.leaf(1).perform(allreduce_of(mine, sum));
        star.leaf(1).perform(
            {.receive = reinterpret_cast<std::byte*>(&sum), .segments = one_number, .up = true});
    });
    star.hand_up(star.join());
    constexpr std::int64_t next = 77;
    star.hand_up(next);
    thread.join();
    other.join();
    EXPECT_EQ(got, next);
    EXPECT_EQ(sum, next);
}

INSTANTIATE_TEST_SUITE_P(Kinds, LeafPathOfKind,
                         ::testing::Values(EdgeKind::flag, EdgeKind::futex, EdgeKind::condvar),
                         [](const auto& tested) { return std::string(to_text(tested.param)); });

TEST(LeafPath, LeavesAnEventOfEveryTracedCall) {
    Star star(1, EdgeKind::flag);
    EventRing ring(10);
    std::int64_t clock = 0;
    star.leaf(0).trace(&ring, {.read = count_up, .state = &clock}, {.every = 2});
    std::thread thread([&] {
        std::int64_t sum = 0;
        for (std::int64_t call = 0; call < 3; ++call) {
            star.leaf(0).perform(allreduce_of(call, sum));
        }
        star.leaf(0).perform(
            {.send = reinterpret_cast<const std::byte*>(&sum), .segments = one_number, .down = true});
        star.leaf(0).perform(
            {.send = reinterpret_cast<const std::byte*>(&sum), .segments = one_number, .down = true});
    });
    for (int call = 0; call < 3; ++call) {
        star.hand_up(star.join());
    }
    star.join();
    star.join();
    thread.join();
    const std::vector<Event> expected{{.call = 0, .collector = 0, .down_ns = 1, .up_ns = 2},
                                      {.call = 2, .collector = 0, .down_ns = 3, .up_ns = 4},
                                      {.call = 4, .collector = 0, .down_ns = 5, .up_ns = Event::never}};
    EXPECT_EQ(std::vector<Event>(ring.events().begin(), ring.events().end()), expected);
}

}  // namespace

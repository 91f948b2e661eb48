#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "journal/journal.hpp"
#include "store/store.hpp"

namespace fathom::launch {

/// What a collector tells on the way.
struct CollectorEvents {
    std::function<void()> environment_known = [] {};  ///< job, ranks and hosts are in the store
    std::function<void(int position)> point_begun = [](int) {};
    std::function<void(const journal::PointEnd&)> point_ended = [](const auto&) {};
};

/// Carries a journal into the store as it grows: a point at a time, each in one transaction, in memory that
/// holds one block of samples.
class Collector {
  public:
    Collector(store::Store& store, std::int64_t run, std::int64_t job, const std::filesystem::path& journal,
              CollectorEvents events);

    /// Takes all whole records that are there. True if there were any.
    bool advance();

    /// The point that has begun and not ended.
    [[nodiscard]] std::optional<int> open_point() const { return open_point_; }
    /// Whether the probe said that it was done.
    [[nodiscard]] bool complete() const { return complete_; }
    /// Why rank 0 gave up; empty if it did not.
    [[nodiscard]] const std::string& failure() const { return failure_; }

  private:
    void take(const journal::Record& record);
    void store_point(const journal::PointEnd& end);

    store::Store& store_;
    std::int64_t run_;
    std::int64_t job_;
    std::filesystem::path path_;
    journal::Reader reader_;
    CollectorEvents events_;
    std::optional<int> open_point_;
    std::uint64_t open_position_ = 0;
    bool environment_told_ = false;
    bool complete_ = false;
    std::string failure_;
};

}  // namespace fathom::launch

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "journal/journal.hpp"

namespace fathom::launch {

/// What of a journal could not be read.
struct JournalDamage {
    int places = 0;
    std::uint64_t bytes = 0;
};

/// Reads a journal while the probe writes it, and knows how far the job has come.
class Follower {
  public:
    explicit Follower(const std::filesystem::path& journal) : reader_(journal) {}
    Follower(const Follower&) = delete;
    Follower& operator=(const Follower&) = delete;
    virtual ~Follower() = default;

    /// Processes all complete records. True if there were any.
    bool advance();
    /// The same when nobody writes any more: goes on behind what is damaged.
    void finish();

    /// Whether there are whole records behind something that cannot be read: it is damaged, not on its way.
    [[nodiscard]] bool stuck() const { return reader_.stuck(); }
    [[nodiscard]] const JournalDamage& damage() const { return damage_; }
    /// Whether nothing was lost to damage.
    [[nodiscard]] virtual bool whole() const { return damage_.places == 0; }
    /// What was lost to damage, as a clause for the user; empty if nothing was.
    [[nodiscard]] virtual std::string losses() const;

    /// Increases with every step of the job; what a step is depends on the job.
    [[nodiscard]] std::uint64_t steps() const { return steps_; }
    /// What one step is, for messages: `point`.
    [[nodiscard]] virtual std::string_view step_name() const = 0;
    /// The point that is being visited.
    [[nodiscard]] std::optional<int> open_point() const { return open_point_; }
    /// The point that was visited last, or is.
    [[nodiscard]] std::optional<int> last_point() const { return last_point_; }
    /// Whether the probe said that it was done.
    [[nodiscard]] bool complete() const { return complete_; }
    /// The MPI library, as it names itself; empty until the probe has reported it.
    [[nodiscard]] const std::string& library() const { return library_; }
    /// Why rank 0 gave up; empty if it did not.
    [[nodiscard]] const std::string& failure() const { return failure_; }

  protected:
    virtual void take(const journal::Record& record) = 0;
    /// All records that were there have been taken.
    virtual void caught_up() {}
    /// Records may be missing between those that were taken and the next.
    virtual void records_lost() {}

    void count_step() { ++steps_; }
    /// Whether nobody writes to the journal any more.
    [[nodiscard]] bool finishing() const { return finishing_; }
    /// Where the record that is being taken begins.
    [[nodiscard]] std::uint64_t record_begin() const { return record_begin_; }
    /// A record that was taken before, by where it begins; nothing if it can no longer be read.
    std::optional<journal::Record> record_at(std::uint64_t begin) { return reader_.at(begin); }

  private:
    journal::Reader reader_;
    JournalDamage damage_;
    bool finishing_ = false;
    std::uint64_t record_begin_ = 0;
    std::uint64_t steps_ = 0;
    std::optional<int> open_point_;
    std::optional<int> last_point_;
    bool complete_ = false;
    std::string library_;
    std::string failure_;
};

}  // namespace fathom::launch

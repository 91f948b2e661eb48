#pragma once

#include <optional>

#include <mpi.h>

#include "probe/interfaces/group.hpp"

namespace fathom::probe::mpi {

/// The ranks of a communicator, on a duplicate of it so that our messages never meet the measured ones.
class MpiGroup : public Group {
  public:
    /// Collective over `parent`. With `yielding`, waits yield the processor, for oversubscribed jobs.
    MpiGroup(MPI_Comm parent, bool yielding);
    ~MpiGroup() override;

    [[nodiscard]] int rank() const override { return rank_; }
    [[nodiscard]] int size() const override { return size_; }
    void exchange_token(int to, int from) override;
    void send(int to, const std::string& text) override;
    std::string receive(int from) override;
    std::string receive_idle(int from) override;
    void send_words(int to, std::span<const std::int64_t> words) override;
    bool receive_words(int from, std::span<std::int64_t> words, Nanoseconds patience) override;
    std::vector<int> serve(std::span<const int> clients, std::int64_t last,
                           const std::function<std::int64_t()>& reply, Nanoseconds patience) override;
    std::vector<std::int64_t> all(std::int64_t value) override;
    std::int64_t largest(std::int64_t value) override;
    void largest_each(std::span<std::int64_t> values) override;
    std::string first_of(const std::string& text) override;

    [[nodiscard]] MPI_Comm communicator() const { return communicator_; }

  private:
    void wait(MPI_Request& request) const;
    /// The position of a request that is done, or nothing within `patience`.
    std::optional<std::size_t> wait_any(std::span<MPI_Request> requests, Nanoseconds patience) const;

    MPI_Comm communicator_ = MPI_COMM_NULL;
    int rank_ = 0;
    int size_ = 1;
    bool yielding_;
};

}  // namespace fathom::probe::mpi

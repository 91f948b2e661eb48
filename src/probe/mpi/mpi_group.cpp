#include "probe/mpi/mpi_group.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <sched.h>
#include <thread>

#include "base/error.hpp"
#include "probe/mpi/check.hpp"
#include "probe/mpi/flavour.hpp"

namespace fathom::probe::mpi {
namespace {

constexpr int token_tag = 1;
constexpr int length_tag = 2;
constexpr int text_tag = 3;
constexpr int word_tag = 4;
/// Waits for messages spin, then yield, then sleep.
constexpr std::chrono::microseconds spin_for{20};
constexpr std::chrono::microseconds yield_for{1000};
constexpr std::chrono::microseconds idle_nap{200};
/// A rank that is idle for long sleeps longer, up to this, and so takes almost no processor time.
constexpr std::chrono::microseconds longest_nap{5'000};

constexpr int nobody = -1;

/// Cancels receives that will not complete, before their buffers are freed.
void give_up(std::span<MPI_Request> requests) {
    for (auto& request : requests) {
        if (request != MPI_REQUEST_NULL) {
            MPI_Cancel(&request);
            MPI_Request_free(&request);
        }
    }
}

}  // namespace

MpiGroup::MpiGroup(MPI_Comm parent, bool yielding) : yielding_(yielding && !simulated) {
    FATHOM_MPI(MPI_Comm_dup, parent, &communicator_);
    FATHOM_MPI(MPI_Comm_set_errhandler, communicator_, MPI_ERRORS_RETURN);
    FATHOM_MPI(MPI_Comm_rank, communicator_, &rank_);
    FATHOM_MPI(MPI_Comm_size, communicator_, &size_);
}

MpiGroup::~MpiGroup() {
    MPI_Comm_free(&communicator_);
}

void MpiGroup::wait(MPI_Request& request) const {
    int done = 0;
    while (yielding_ && done == 0) {
        FATHOM_MPI(MPI_Test, &request, &done, MPI_STATUS_IGNORE);
        if (done == 0) {
            ::sched_yield();
        }
    }
    if (done == 0) {
        FATHOM_MPI(MPI_Wait, &request, MPI_STATUS_IGNORE);
    }
}

void MpiGroup::exchange_token(int to, int from) {
    MPI_Request incoming = MPI_REQUEST_NULL;
    MPI_Request outgoing = MPI_REQUEST_NULL;
    FATHOM_MPI(MPI_Irecv, nullptr, 0, MPI_BYTE, from, token_tag, communicator_, &incoming);
    FATHOM_MPI(MPI_Isend, nullptr, 0, MPI_BYTE, to, token_tag, communicator_, &outgoing);
    wait(incoming);
    wait(outgoing);
}

void MpiGroup::send(int to, const std::string& text) {
    const auto length = static_cast<std::int64_t>(text.size());
    MPI_Request request = MPI_REQUEST_NULL;
    // Synchronous: nothing is sent before the receiver is ready, so nothing is buffered there.
    FATHOM_MPI(MPI_Issend, &length, 1, MPI_INT64_T, to, length_tag, communicator_, &request);
    wait(request);
    FATHOM_MPI(MPI_Issend, text.data(), static_cast<int>(length), MPI_BYTE, to, text_tag, communicator_,
               &request);
    wait(request);
}

std::string MpiGroup::receive(int from) {
    std::int64_t length = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    FATHOM_MPI(MPI_Irecv, &length, 1, MPI_INT64_T, from, length_tag, communicator_, &request);
    wait(request);
    std::string text(static_cast<std::size_t>(length), '\0');
    FATHOM_MPI(MPI_Irecv, text.data(), static_cast<int>(length), MPI_BYTE, from, text_tag, communicator_,
               &request);
    wait(request);
    return text;
}

std::string MpiGroup::receive_idle(int from) {
    int there = simulated ? 1 : 0;  // simulated waiting costs nothing
    auto nap = idle_nap;
    while (there == 0) {
        FATHOM_MPI(MPI_Iprobe, from, length_tag, communicator_, &there, MPI_STATUS_IGNORE);
        if (there == 0) {
            std::this_thread::sleep_for(nap);
            nap = std::min(longest_nap, nap + nap / 8);
        }
    }
    return receive(from);
}

void MpiGroup::send_words(int to, std::span<const std::int64_t> words) {
    FATHOM_MPI(MPI_Send, words.data(), static_cast<int>(words.size()), MPI_INT64_T, to, word_tag,
               communicator_);
}

std::optional<std::size_t> MpiGroup::wait_any(std::span<MPI_Request> requests, Nanoseconds patience) const {
    const auto count = static_cast<int>(requests.size());
    int which = 0;
    if constexpr (simulated) {
        // SimGrid itself ends a deadlocked simulation.
        FATHOM_MPI(MPI_Waitany, count, requests.data(), &which, MPI_STATUS_IGNORE);
        return static_cast<std::size_t>(which);
    }
    using std::chrono::steady_clock;
    const auto begin = steady_clock::now();
    bool yield = false;
    bool nap = false;
    for (std::uint32_t polls = 1;; ++polls) {
        int done = 0;
        if (count == 1) {
            FATHOM_MPI(MPI_Test, requests.data(), &done, MPI_STATUS_IGNORE);
        } else {
            FATHOM_MPI(MPI_Testany, count, requests.data(), &which, &done, MPI_STATUS_IGNORE);
        }
        if (done != 0) {
            return static_cast<std::size_t>(which);
        }
        if (nap) {
            std::this_thread::sleep_for(idle_nap);
        } else if (yield) {
            ::sched_yield();
        }
        constexpr std::uint32_t polls_between_looks = 16;
        if (yield || polls % polls_between_looks == 0) {
            const auto waited = steady_clock::now() - begin;
            // The rank that is to answer may need this processor; long waits release it.
            yield = waited > spin_for;
            nap = waited > (yielding_ ? yield_for / 10 : yield_for);
            if (waited > std::chrono::nanoseconds(patience.count)) {
                return std::nullopt;
            }
        }
    }
}

bool MpiGroup::receive_words(int from, std::span<std::int64_t> words, Nanoseconds patience) {
    std::array<MPI_Request, 1> request{MPI_REQUEST_NULL};
    FATHOM_MPI(MPI_Irecv, words.data(), static_cast<int>(words.size()), MPI_INT64_T, from, word_tag,
               communicator_, request.data());
    if (wait_any(request, patience)) {
        return true;
    }
    give_up(request);
    return false;
}

std::vector<int> MpiGroup::serve(std::span<const int> clients, std::int64_t last,
                                 const std::function<std::int64_t()>& reply, Nanoseconds patience) {
    // A receive is posted for every client, so that none waits for another's turn.
    std::vector<int> open(clients.begin(), clients.end());
    std::vector<std::int64_t> words(open.size());
    std::vector<MPI_Request> requests(open.size(), MPI_REQUEST_NULL);
    const auto listen = [&](std::size_t at) {
        FATHOM_MPI(MPI_Irecv, &words[at], 1, MPI_INT64_T, open[at], word_tag, communicator_, &requests[at]);
    };
    for (std::size_t at = 0; at < open.size(); ++at) {
        listen(at);
    }
    auto left = open.size();
    while (left > 0) {
        const auto at = wait_any(requests, patience);
        if (!at) {
            give_up(requests);
            break;
        }
        if (words[*at] == last) {
            open[*at] = nobody;
            --left;
            continue;
        }
        send_words(open[*at], std::array{reply()});
        listen(*at);
    }
    std::erase(open, nobody);
    return open;
}

std::vector<std::int64_t> MpiGroup::all(std::int64_t value) {
    std::vector<std::int64_t> values(static_cast<std::size_t>(size_));
    // Not MPI_Allgather: simulating SimGrid's takes minutes with a thousand ranks.
    FATHOM_MPI(MPI_Gather, &value, 1, MPI_INT64_T, values.data(), 1, MPI_INT64_T, 0, communicator_);
    FATHOM_MPI(MPI_Bcast, values.data(), size_, MPI_INT64_T, 0, communicator_);
    return values;
}

std::int64_t MpiGroup::largest(std::int64_t value) {
    std::int64_t result = 0;
    if constexpr (simulated) {
        FATHOM_MPI(MPI_Allreduce, &value, &result, 1, MPI_INT64_T, MPI_MAX, communicator_);
        return result;
    }
    std::array<MPI_Request, 1> request{MPI_REQUEST_NULL};
    FATHOM_MPI(MPI_Iallreduce, &value, &result, 1, MPI_INT64_T, MPI_MAX, communicator_, request.data());
    constexpr Nanoseconds patience{100'000'000'000};
    if (!wait_any(request, patience)) {
        throw NotMeasured("a rank did not reach a common step within 100 s; was it stopped?");
    }
    return result;
}

void MpiGroup::largest_each(std::span<std::int64_t> values) {
    FATHOM_MPI(MPI_Allreduce, MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT64_T,
               MPI_MAX, communicator_);
}

std::string MpiGroup::first_of(const std::string& text) {
    const int mine = text.empty() ? size_ : rank_;
    int first = size_;
    FATHOM_MPI(MPI_Allreduce, &mine, &first, 1, MPI_INT, MPI_MIN, communicator_);
    if (first == size_) {
        return {};
    }
    std::string shared = text;
    auto length = static_cast<std::int64_t>(text.size());
    FATHOM_MPI(MPI_Bcast, &length, 1, MPI_INT64_T, first, communicator_);
    shared.resize(static_cast<std::size_t>(length));
    FATHOM_MPI(MPI_Bcast, shared.data(), static_cast<int>(length), MPI_BYTE, first, communicator_);
    return shared;
}

}  // namespace fathom::probe::mpi

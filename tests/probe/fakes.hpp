#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error.hpp"
#include "probe/interfaces/clock.hpp"
#include "probe/interfaces/group.hpp"
#include "probe/interfaces/operation.hpp"
#include "probe/interfaces/start.hpp"

namespace fathom::probe::fakes {

/// A clock that only moves on request.
class FakeClock : public Clock {
  public:
    [[nodiscard]] Nanoseconds now() const override { return {time_ns}; }
    [[nodiscard]] std::string_view name() const override { return "fake"; }

    std::int64_t time_ns = 0;
};

/// Moves the clock by the durations of a list, cyclically, and records the order of events.
class FakeOperation : public Operation {
  public:
    FakeOperation(FakeClock& clock, std::vector<std::int64_t> durations_ns)
        : clock_(clock), durations_(std::move(durations_ns)) {}
    void call() override {
        clock_.time_ns += durations_[calls % durations_.size()];
        ++calls;
        events += 'c';
    }
    void next(std::int64_t /*rep*/) override {
        clock_.time_ns += next_ns;
        events += 'n';
    }
    void end_series() override { ++series_ended; }
    void prepare_check() override {}
    [[nodiscard]] std::string check() const override { return {}; }

    std::size_t calls = 0;
    int series_ended = 0;
    std::int64_t next_ns = 0;  ///< what it takes to make ready
    std::string events;        ///< c: called, n: made ready for the next

  private:
    FakeClock& clock_;
    std::vector<std::int64_t> durations_;
};

class FakeStart : public Start {
  public:
    FakeStart(FakeClock& clock, std::int64_t wait_ns) : clock_(clock), wait_ns_(wait_ns) {}
    bool align() override {
        clock_.time_ns += wait_ns_;
        ++aligned;
        return true;
    }

    std::size_t aligned = 0;

  private:
    FakeClock& clock_;
    std::int64_t wait_ns_;
};

/// The mailboxes that the members of a fake group share.
class Mail {
  public:
    void put(int from, int to, std::string text) {
        const std::lock_guard lock(mutex_);
        boxes_[{from, to}].push_back(std::move(text));
        arrived_.notify_all();
    }
    /// Nothing if it does not arrive in time.
    std::optional<std::string> take_within(int from, int to, std::chrono::nanoseconds patience) {
        std::unique_lock lock(mutex_);
        auto& box = boxes_[{from, to}];
        if (!arrived_.wait_for(lock, patience, [&] { return !box.empty(); })) {
            return std::nullopt;
        }
        auto text = std::move(box.front());
        box.pop_front();
        return text;
    }
    /// The first message to a rank from any of several, or nothing.
    std::optional<std::pair<int, std::string>> take_any_within(std::span<const int> from, int to,
                                                               std::chrono::nanoseconds patience) {
        std::unique_lock lock(mutex_);
        const auto full = [&] {
            return std::find_if(from.begin(), from.end(), [&](int rank) {
                return !boxes_[{rank, to}].empty();
            });
        };
        if (!arrived_.wait_for(lock, patience, [&] { return full() != from.end(); })) {
            return std::nullopt;
        }
        const int sender = *full();
        auto& box = boxes_[{sender, to}];
        auto text = std::move(box.front());
        box.pop_front();
        return std::pair(sender, std::move(text));
    }
    [[nodiscard]] bool empty() {
        const std::lock_guard lock(mutex_);
        for (const auto& [ends, box] : boxes_) {
            if (!box.empty()) {
                return false;
            }
        }
        return true;
    }

  private:
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::map<std::pair<int, int>, std::deque<std::string>> boxes_;
};

/// One rank of a group of threads.
class FakeGroup : public Group {
  public:
    FakeGroup(Mail& mail, int rank, int size) : mail_(mail), rank_(rank), size_(size) {}
    [[nodiscard]] int rank() const override { return rank_; }
    [[nodiscard]] int size() const override { return size_; }
    void exchange_token(int to, int from) override {
        mail_.put(rank_, to, "");
        receive(from);
    }
    void send(int to, const std::string& text) override { mail_.put(rank_, to, text); }
    /// A real job ends when a rank fails; here the others must not wait for it without end.
    std::string receive(int from) override {
        auto text = mail_.take_within(from, rank_, std::chrono::nanoseconds(forever.count));
        if (!text) {
            throw NotMeasured(fmt::format("rank {} is gone", from));
        }
        return *std::move(text);
    }
    std::string receive_idle(int from) override { return receive(from); }
    std::string first_of(const std::string& text) override { return text; }
    void send_words(int to, std::span<const std::int64_t> words) override {
        mail_.put(rank_, to, {reinterpret_cast<const char*>(words.data()), words.size_bytes()});
    }
    bool receive_words(int from, std::span<std::int64_t> words, Nanoseconds patience) override {
        const auto text = mail_.take_within(from, rank_, std::chrono::nanoseconds(patience.count));
        if (!text) {
            return false;
        }
        std::memcpy(words.data(), text->data(), std::min(text->size(), words.size_bytes()));
        return true;
    }
    std::vector<int> serve(std::span<const int> clients, std::int64_t last,
                           const std::function<std::int64_t()>& reply, Nanoseconds patience) override {
        std::vector<int> open(clients.begin(), clients.end());
        while (!open.empty()) {
            const auto message = mail_.take_any_within(open, rank_, std::chrono::nanoseconds(patience.count));
            if (!message) {
                break;
            }
            std::int64_t word = 0;
            std::memcpy(&word, message->second.data(), sizeof word);
            if (word == last) {
                std::erase(open, message->first);
            } else {
                send_words(message->first, std::array{reply()});
            }
        }
        return open;
    }
    std::vector<std::int64_t> all(std::int64_t value) override {
        std::vector<std::int64_t> values(static_cast<std::size_t>(size_));
        for (int rank = 0; rank < size_; ++rank) {
            send_words(rank, std::array{value});
        }
        for (int rank = 0; rank < size_; ++rank) {
            if (!receive_words(rank, std::span(values).subspan(static_cast<std::size_t>(rank), 1), forever)) {
                throw NotMeasured(fmt::format("rank {} is gone", rank));
            }
        }
        return values;
    }
    void largest_each(std::span<std::int64_t> values) override {
        for (auto& value : values) {
            value = largest(value);
        }
    }
    std::int64_t largest(std::int64_t value) override {
        const auto values = all(value);
        return *std::max_element(values.begin(), values.end());
    }

    Nanoseconds forever{60'000'000'000};  ///< with ranks that take part in no more

  private:
    Mail& mail_;
    int rank_;
    int size_;
};

/// Runs the same code on every rank of a group, each on a thread of its own. Throws what the lowest of the
/// ranks that failed threw, once all have ended.
inline void on_all_ranks(int size, Mail& mail, const std::function<void(FakeGroup&)>& work) {
    std::vector<std::exception_ptr> failures(static_cast<std::size_t>(size));
    std::vector<std::thread> threads;
    for (int rank = 0; rank < size; ++rank) {
        threads.emplace_back([&mail, &work, &failure = failures[static_cast<std::size_t>(rank)], rank, size] {
            try {
                FakeGroup group(mail, rank, size);
                work(group);
            } catch (...) {
                failure = std::current_exception();
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    for (const auto& failure : failures) {
        if (failure) {
            std::rethrow_exception(failure);
        }
    }
}

}  // namespace fathom::probe::fakes

#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/plain_bytes.hpp"
#include "base/units.hpp"

namespace fathom::probe {

/// The processes of a measurement as the engine sees them: small messages of its own, apart from the measured
/// operation's. Implemented with MPI in the probe, with queues in unit tests.
class Group {
  public:
    Group() = default;
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;
    virtual ~Group() = default;

    [[nodiscard]] virtual int rank() const = 0;
    [[nodiscard]] virtual int size() const = 0;

    /// Sends an empty message to one rank and waits for one from another, both at once.
    virtual void exchange_token(int to, int from) = 0;

    /// Sends text without buffering it at a receiver that is not ready.
    virtual void send(int to, const std::string& text) = 0;
    virtual std::string receive(int from) = 0;
    /// Like receive, but for long waits: leaves the processor to others meanwhile.
    virtual std::string receive_idle(int from) = 0;

    /// A few numbers in one small message, as fast as the library can.
    virtual void send_words(int to, std::span<const std::int64_t> words) = 0;
    /// Waits for such a message, at most this long; false if none came.
    virtual bool receive_words(int from, std::span<std::int64_t> words, Nanoseconds patience) = 0;

    /// Answers one-word requests of several ranks, in order of arrival, with what `reply` returns at that
    /// moment, until each has sent the word `last`. Returns the ranks that did not answer within
    /// `patience`: none if all went well.
    virtual std::vector<int> serve(std::span<const int> clients, std::int64_t last,
                                   const std::function<std::int64_t()>& reply, Nanoseconds patience) = 0;

    /// Of every rank, in their order, the same on all.
    virtual std::vector<std::int64_t> all(std::int64_t value) = 0;
    /// The largest over ranks, the same on all. Throws NotMeasured if one of them does not arrive.
    virtual std::int64_t largest(std::int64_t value) = 0;

    /// The same for each of several values, in place.
    virtual void largest_each(std::span<std::int64_t> values) = 0;

    /// The first non-empty text by rank, the same on all ranks; empty if all are.
    virtual std::string first_of(const std::string& text) = 0;
};

/// A plain value as the words of one small message, whole words of it.
template <PlainValue Value>
using WordsOf = std::array<std::int64_t, (sizeof(Value) + sizeof(std::int64_t) - 1) / sizeof(std::int64_t)>;

/// Like Group::send_words and receive_words, for a plain value; nothing if none came.
template <PlainValue Value>
void send_value(Group& group, int to, const Value& value) {
    WordsOf<Value> words{};
    std::memcpy(words.data(), &value, sizeof value);
    group.send_words(to, words);
}
template <PlainValue Value>
std::optional<Value> receive_value(Group& group, int from, Nanoseconds patience) {
    WordsOf<Value> words{};
    if (!group.receive_words(from, words, patience)) {
        return std::nullopt;
    }
    Value value{};
    std::memcpy(static_cast<void*>(&value), words.data(), sizeof value);
    return value;
}

}  // namespace fathom::probe

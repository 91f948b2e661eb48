#include "probe/overlap/test_transport.hpp"

#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "probe/interfaces/nonblocking.hpp"

namespace fathom::probe {
namespace {

/// An operation in the place of another: what is not about its three calls is left to that one.
class Transport : public Operation, public Nonblocking {
  public:
    explicit Transport(std::unique_ptr<Operation> operation)
        : operation_(std::move(operation)), exchange_(dynamic_cast<Nonblocking&>(*operation_)) {}

    void call() override {
        post();
        wait();
    }
    void next(std::int64_t rep) override { operation_->next(rep); }
    [[nodiscard]] std::int64_t cycle() const override { return operation_->cycle(); }
    [[nodiscard]] std::int64_t parts() const override { return operation_->parts(); }
    void prepare_check() override { operation_->prepare_check(); }
    [[nodiscard]] std::string check() const override { return operation_->check(); }
    [[nodiscard]] std::span<std::byte> received() override { return operation_->received(); }
    Tally take_tally() override { return operation_->take_tally(); }
    [[nodiscard]] std::string datatype() const override { return operation_->datatype(); }

  protected:
    [[nodiscard]] Operation& operation() { return *operation_; }
    [[nodiscard]] Nonblocking& exchange() { return exchange_; }

  private:
    std::unique_ptr<Operation> operation_;
    Nonblocking& exchange_;
};

class InWait : public Transport {
  public:
    using Transport::Transport;
    void post() override {}
    bool test() override { return false; }
    void wait() override {
        exchange().post();
        exchange().wait();
    }
};

class Unaided : public Transport {
  public:
    Unaided(std::unique_ptr<Operation> operation, const TransportPlace& place)
        : Transport(std::move(operation)), clock_(place.clock), time_(unaided_time(place.size)) {}

    void next(std::int64_t rep) override {
        rep_ = rep;
        checked_ = false;
        operation().next(rep);
        operation().call();
    }
    /// Data are checked as the true transfer brings them, in calls that nobody times. That of next() is over.
    void prepare_check() override {
        operation().next(rep_);
        operation().prepare_check();
        checked_ = true;
    }
    void post() override {
        if (checked_) {
            exchange().post();
        }
        end_ = clock_.now() + time_;
    }
    bool test() override { return checked_ ? exchange().test() : clock_.now() >= end_; }
    void wait() override {
        if (checked_) {
            exchange().wait();
            checked_ = false;
        }
        clock_.wait_until(end_);
    }

  private:
    const Clock& clock_;
    Nanoseconds time_;
    Nanoseconds end_{0};
    std::int64_t rep_ = 0;
    bool checked_ = false;
};

}  // namespace

std::optional<TestTransport> asked_transport() {
    const char* const name = std::getenv("FATHOM_TRANSPORT");
    const auto found = name == nullptr ? std::nullopt : from_text<TestTransport>(name);
    if (name != nullptr && !found) {
        throw BadInput(fmt::format("FATHOM_TRANSPORT is '{}', neither in-wait nor unaided", name));
    }
    return found;
}

Nanoseconds unaided_time(Bytes size) {
    constexpr std::int64_t latency_ns = 10'000;
    constexpr std::int64_t ns_per_byte = 1;
    return {latency_ns + size.count * ns_per_byte};
}

std::unique_ptr<Operation> with_test_transport(TestTransport kind, std::unique_ptr<Operation> operation,
                                               const TransportPlace& place) {
    if (kind == TestTransport::unaided) {
        return std::make_unique<Unaided>(std::move(operation), place);
    }
    return place.works ? std::make_unique<InWait>(std::move(operation)) : std::move(operation);
}

}  // namespace fathom::probe

// A master hands pieces of work to workers and gets an answer to each. The nine rows are those of SKaMPI:
// five that differ in how the master receives answers, whichever worker is done first, and four that differ
// in how it sends, to one worker after the other.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "probe/mpi/attached_buffer.hpp"
#include "probe/mpi/byte_message.hpp"
#include "probe/mpi/check.hpp"
#include "probe/ops/buffer.hpp"
#include "probe/ops/data.hpp"
#include "probe/ops/registry.hpp"
#include "probe/ops/work.hpp"

namespace fathom::probe {
namespace {

constexpr int master = 0;

/// Kinds of messages: the tag identifies the piece, so that workers can check it at any size.
constexpr int stop_tag = 0;
constexpr int answer_tag = 1;
constexpr int first_piece_tag = 2;
constexpr int last_tag = 32'767;  // that every library has

int tag_of(std::int64_t piece) {
    return first_piece_tag + static_cast<int>(piece % (last_tag - first_piece_tag + 1));
}

/// A message of the master to a worker.
struct WorkParcel {
    const void* data = nullptr;
    int count = 0;
    MPI_Datatype type = MPI_BYTE;
    int to = 0;
    int tag = stop_tag;
    MPI_Comm communicator = MPI_COMM_NULL;
};

/// What the master waits for, and what came of it. Workers have numbers from 0 here.
struct Inbox {
    std::vector<MPI_Request> requests = {};  ///< by worker; null where none was posted
    std::vector<int> answered = {};          ///< workers whose answers came, the first `count`
    int count = 0;
    void* place = nullptr;  ///< for an answer without a posted receive
    int place_count = 0;
    MPI_Datatype place_type = MPI_BYTE;
    int turn = 0;  ///< the worker that has had its piece for longest
    MPI_Comm communicator = MPI_COMM_NULL;

    [[nodiscard]] int size() const { return static_cast<int>(requests.size()); }
};

void wait_some(Inbox& inbox) {
    FATHOM_MPI(MPI_Waitsome, inbox.size(), inbox.requests.data(), &inbox.count, inbox.answered.data(),
               MPI_STATUSES_IGNORE);
}

void wait_any(Inbox& inbox) {
    FATHOM_MPI(MPI_Waitany, inbox.size(), inbox.requests.data(), inbox.answered.data(), MPI_STATUS_IGNORE);
    inbox.count = 1;
}

void wait_all(Inbox& inbox) {
    inbox.count = 0;
    for (int worker = 0; worker < inbox.size(); ++worker) {
        if (inbox.requests[static_cast<std::size_t>(worker)] != MPI_REQUEST_NULL) {
            inbox.answered[static_cast<std::size_t>(inbox.count++)] = worker;
        }
    }
    FATHOM_MPI(MPI_Waitall, inbox.size(), inbox.requests.data(), MPI_STATUSES_IGNORE);
}

void test_any(Inbox& inbox) {
    int found = 0;
    while (found == 0) {
        FATHOM_MPI(MPI_Testany, inbox.size(), inbox.requests.data(), inbox.answered.data(), &found,
                   MPI_STATUS_IGNORE);
    }
    inbox.count = 1;
}

void receive_from_anybody(Inbox& inbox) {
    MPI_Status status;
    FATHOM_MPI(MPI_Recv, inbox.place, inbox.place_count, inbox.place_type, MPI_ANY_SOURCE, answer_tag,
               inbox.communicator, &status);
    inbox.answered[0] = status.MPI_SOURCE - 1;
    inbox.count = 1;
}

/// In the order in which work was handed out, so that nothing but sending decides the time.
void receive_in_turn(Inbox& inbox) {
    FATHOM_MPI(MPI_Recv, inbox.place, inbox.place_count, inbox.place_type, inbox.turn + 1, answer_tag,
               inbox.communicator, MPI_STATUS_IGNORE);
    inbox.answered[0] = inbox.turn;
    inbox.count = 1;
}

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): the calls differ by name only
#define BLOCKING(Call)                                                           \
    [](const WorkParcel& p, MPI_Request* /*request*/) {                          \
        return MPI_##Call(p.data, p.count, p.type, p.to, p.tag, p.communicator); \
    }

int send_parcel(const WorkParcel& p, MPI_Request* request) {
    return MPI_Isend(p.data, p.count, p.type, p.to, p.tag, p.communicator, request);
}

/// What a way to send takes besides its call.
enum class Sending { alone, waited_for, from_buffer };

struct FarmCall {
    std::string_view name;
    bool posted;  ///< a receive for every answer before its piece is handed out
    void (*await)(Inbox& inbox);
    int (*send)(const WorkParcel& parcel, MPI_Request* request);
    Sending sending = Sending::alone;
};

constexpr auto farm_calls = std::to_array<FarmCall>({
    {"master.waitsome", true, wait_some, BLOCKING(Send)},
    {"master.waitany", true, wait_any, BLOCKING(Send)},
    {"master.waitall", true, wait_all, BLOCKING(Send)},
    {"master.testany", true, test_any, BLOCKING(Send)},
    {"master.any_source", false, receive_from_anybody, BLOCKING(Send)},
    {"master.send", false, receive_in_turn, BLOCKING(Send)},
    {"master.isend", false, receive_in_turn, send_parcel, Sending::waited_for},
    {"master.ssend", false, receive_in_turn, BLOCKING(Ssend)},
    {"master.bsend", false, receive_in_turn, BLOCKING(Bsend), Sending::from_buffer},
});

/// What master and workers share. A repetition is all pieces, from the first to the last answer.
class Farmer : public Operation {
  public:
    [[nodiscard]] std::int64_t parts() const override { return pieces(); }
    [[nodiscard]] std::string datatype() const override { return "byte"; }

  protected:
    explicit Farmer(const OperationContext& context) : context_(context), message_(context.size) {}

    [[nodiscard]] const OperationContext& context() const { return context_; }
    [[nodiscard]] const mpi::ByteMessage& message() const { return message_; }
    [[nodiscard]] std::int64_t pieces() const { return context_.settings.pieces; }
    [[nodiscard]] Nanoseconds now() const { return context_.clock->now(); }
    [[nodiscard]] std::uint64_t stream(int tag) const {
        return splitmix64(context_.seed, static_cast<std::uint64_t>(tag));
    }

  private:
    OperationContext context_;
    mpi::ByteMessage message_;
};

/// Pieces and answers each have a place of their own in memory, as the parts of a real problem do.
class Master : public Farmer {
  public:
    Master(const OperationContext& context, const FarmCall& row)
        : Farmer(affordable(context)),
          row_(row),
          outgoing_({context.settings.pieces * context.size.count}, context.region),
          incoming_({context.settings.pieces * context.size.count}, context.region),
          in_place_(static_cast<std::size_t>(context.settings.pieces), nothing) {
        const auto workers = static_cast<std::size_t>(context.procs - 1);
        piece_of_.resize(workers, nothing);
        sends_.resize(workers, MPI_REQUEST_NULL);
        inbox_.requests.resize(workers, MPI_REQUEST_NULL);
        inbox_.answered.resize(workers);
        inbox_.place_count = message().count();
        inbox_.place_type = message().datatype();
        inbox_.communicator = context.communicator;
        if (row.sending == Sending::from_buffer) {
            // A worker's last piece and its stop, or that and a piece of the next call, may be under way.
            buffer_.emplace(context.size, 2 * (context.procs - 1), context.communicator);
        }
        Master::prepare_check();
    }

    void next(std::int64_t /*rep*/) override {
        outgoing_.next();
        incoming_.next();
        if (buffer_) {
            buffer_->attach();
        }
    }

    void call() override {
        const auto begin = now();
        handed_out_ = 0;
        for (int worker = 0; worker < inbox_.size(); ++worker) {
            hand_on(worker);
        }
        std::int64_t waited_ns = 0;
        for (std::int64_t answers = 0; answers < pieces();) {
            inbox_.place = slot(incoming_, answers).data();
            inbox_.turn = static_cast<int>(answers % inbox_.size());
            const auto begin_wait = now();
            row_.await(inbox_);
            waited_ns += (now() - begin_wait).count;
            for (int i = 0; i < inbox_.count; ++i) {
                const int worker = inbox_.answered[static_cast<std::size_t>(i)];
                const auto piece = piece_of_[static_cast<std::size_t>(worker)];
                in_place_[static_cast<std::size_t>(row_.posted ? piece : answers)] = piece;
                ++answers;
                hand_on(worker);
            }
        }
        if (row_.sending == Sending::waited_for) {
            for (auto& request : sends_) {
                FATHOM_MPI(MPI_Wait, &request, MPI_STATUS_IGNORE);
            }
        }
        const auto total_ns = (now() - begin).count;
        total_ns_ += total_ns;
        busy_ns_ += total_ns - waited_ns;
        calls_ += 1;
    }

    void prepare_check() override {
        for (std::int64_t piece = 0; piece < pieces(); ++piece) {
            fill_pattern(slot(outgoing_, piece), stream(tag_of(piece)));
            fill_wrong(slot(incoming_, piece), stream(tag_of(piece)));
        }
        std::fill(in_place_.begin(), in_place_.end(), nothing);
    }

    [[nodiscard]] std::string check() const override {
        for (std::size_t i = 0; i < in_place_.size(); ++i) {
            if (in_place_[i] == nothing) {
                return fmt::format("answer {} of {} did not arrive", i + 1, pieces());
            }
            auto wrong =
                compare_pattern(slot(incoming_, static_cast<std::int64_t>(i)), stream(tag_of(in_place_[i])));
            if (!wrong.empty()) {
                return fmt::format("in the answer to piece {}: {}", in_place_[i], wrong);
            }
        }
        return {};
    }

    [[nodiscard]] std::span<std::byte> received() override { return incoming_.bytes(); }

    Tally take_tally() override {
        const auto pieces_done = static_cast<double>(calls_) * static_cast<double>(pieces());
        Tally tally{{"busy_ns", static_cast<double>(busy_ns_)},
                    {"total_ns", static_cast<double>(total_ns_)},
                    {"pieces", pieces_done}};
        busy_ns_ = 0;
        total_ns_ = 0;
        calls_ = 0;
        return tally;
    }

  private:
    static constexpr std::int64_t nothing = -1;

    /// Divides where a product might be too large for a number.
    static const OperationContext& affordable(const OperationContext& context) {
        const auto buffers = 2 * (context.region.count > 0 ? 2 : 1);  // a region has one more than fit
        const auto free = std::max<std::int64_t>(0, context.memory.count - 2 * context.region.count);
        if (context.size.count > free / buffers / context.settings.pieces) {
            throw Unavailable(
                fmt::format("the master keeps {} pieces of {} and as many answers (--pieces), and {} are "
                            "free for each rank",
                            context.settings.pieces, to_text(context.size), to_text(context.memory)));
        }
        return context;
    }

    [[nodiscard]] std::span<std::byte> slot(const Buffer& buffer, std::int64_t index) const {
        const auto size = static_cast<std::size_t>(context().size.count);
        return buffer.bytes().subspan(static_cast<std::size_t>(index) * size, size);
    }

    /// The next piece, or the message that there is none.
    void hand_on(int worker) {
        WorkParcel parcel{.to = worker + 1, .communicator = context().communicator};
        const auto at = static_cast<std::size_t>(worker);
        if (handed_out_ < pieces()) {
            const auto piece = handed_out_++;
            piece_of_[at] = piece;
            parcel.data = slot(outgoing_, piece).data();
            parcel.count = message().count();
            parcel.type = message().datatype();
            parcel.tag = tag_of(piece);
            if (row_.posted) {
                FATHOM_MPI(MPI_Irecv, slot(incoming_, piece).data(), message().count(), message().datatype(),
                           parcel.to, answer_tag, context().communicator, &inbox_.requests[at]);
            }
        }
        if (row_.sending == Sending::waited_for) {
            FATHOM_MPI(MPI_Wait, &sends_[at], MPI_STATUS_IGNORE);
        }
        mpi::check(row_.send(parcel, &sends_[at]), "the call that hands out a piece");
    }

    const FarmCall& row_;
    Buffer outgoing_;
    Buffer incoming_;
    std::vector<std::int64_t> in_place_;  // which piece was answered, by place of the answer
    std::vector<std::int64_t> piece_of_;  // that a worker has
    std::vector<MPI_Request> sends_;      // by worker
    Inbox inbox_;
    std::optional<mpi::AttachedBuffer> buffer_;
    std::int64_t handed_out_ = 0;
    std::int64_t busy_ns_ = 0;
    std::int64_t total_ns_ = 0;
    std::int64_t calls_ = 0;
};

/// Works on pieces until there are no more; the answer to a piece is the piece.
class FarmWorker : public Farmer {
  public:
    explicit FarmWorker(const OperationContext& context)
        : Farmer(context), buffer_(context.size, context.region), last_(buffer_.bytes()) {
        FarmWorker::prepare_check();
    }

    void call() override {
        constexpr std::int64_t ns_per_us = 1'000;
        const Nanoseconds work{context().settings.piece_work_us * ns_per_us};
        while (true) {
            MPI_Status status;
            FATHOM_MPI(MPI_Recv, buffer_.data(), message().count(), message().datatype(), master, MPI_ANY_TAG,
                       context().communicator, &status);
            if (status.MPI_TAG == stop_tag) {
                return;
            }
            last_tag_ = status.MPI_TAG;
            last_ = buffer_.bytes();
            work_for(*context().clock, work);
            FATHOM_MPI(MPI_Send, buffer_.data(), message().count(), message().datatype(), master, answer_tag,
                       context().communicator);
            buffer_.next();
            ++pieces_done_;
        }
    }

    void prepare_check() override {
        for (std::size_t i = 0; i < buffer_.slices(); ++i) {
            fill_wrong(buffer_.bytes(), stream(tag_of(context().rank - 1)));
            buffer_.next();
        }
        last_ = buffer_.bytes();
        last_tag_ = stop_tag;
    }

    [[nodiscard]] std::string check() const override {
        if (!gets_any()) {
            return {};
        }
        return last_tag_ == stop_tag ? "no piece arrived" : compare_pattern(last_, stream(last_tag_));
    }

    [[nodiscard]] std::span<std::byte> received() override {
        return gets_any() ? last_ : std::span<std::byte>();
    }

    Tally take_tally() override {
        Tally tally{{"pieces", static_cast<double>(pieces_done_)}};
        pieces_done_ = 0;
        return tally;
    }

  private:
    /// At first everybody gets a piece, as long as there are any.
    [[nodiscard]] bool gets_any() const { return context().rank <= pieces(); }

    Buffer buffer_;
    std::span<std::byte> last_;  // piece
    int last_tag_ = stop_tag;
    std::int64_t pieces_done_ = 0;
};

}  // namespace

std::unique_ptr<Operation> make_master_worker(const plan::OperationInfo& info,
                                              const OperationContext& context) {
    const auto* const row =
        std::ranges::find_if(farm_calls, [&](const auto& each) { return each.name == info.call; });
    if (row == farm_calls.end()) {
        return nullptr;
    }
    if (context.rank == master) {
        return std::make_unique<Master>(context, *row);
    }
    return std::make_unique<FarmWorker>(context);
}

}  // namespace fathom::probe

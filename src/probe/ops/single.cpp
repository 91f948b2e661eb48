// Calls of one rank alone. They are too short for a clock, so a repetition is many of them in a row, all
// made through a function pointer: the empty call measures the cost of that.
#include <algorithm>
#include <array>

#include <climits>
#include <fmt/format.h>

#include "probe/mpi/check.hpp"
#include "probe/ops/block_message.hpp"
#include "probe/ops/blocks.hpp"
#include "probe/ops/buffer.hpp"
#include "probe/ops/data.hpp"
#include "probe/ops/memory.hpp"
#include "probe/ops/registry.hpp"

namespace fathom::probe {
namespace {

/// Many calls of one function, with all its data at hand.
template <typename Desk>
class Many : public Operation {
  public:
    void call() override {
        for (std::int64_t i = 0; i < parts_; ++i) {
            one_(desk_);
        }
    }
    [[nodiscard]] std::int64_t parts() const override { return parts_; }

  protected:
    using One = void (*)(Desk& desk);
    Many(One one, std::int64_t parts) : one_(one), parts_(parts) {}

    [[nodiscard]] const Desk& desk() const { return desk_; }
    [[nodiscard]] Desk& desk() { return desk_; }

  private:
    One one_;
    std::int64_t parts_;
    Desk desk_;
};

/// Fewer calls of larger messages, and one where memory is to be out of the cache: it is so only once. An odd
/// number, so that sums modulo 256 change.
std::int64_t parts_for(const OperationContext& context) {
    constexpr std::int64_t most = 999;
    constexpr std::int64_t bytes = 1 << 20;
    if (context.region.count > 0) {
        return 1;
    }
    return std::clamp<std::int64_t>(bytes / std::max<std::int64_t>(context.size.count, 1), 1, most) | 1;
}

/// What calls without a message need and leave behind.
struct Answers {
    MPI_Comm communicator = MPI_COMM_NULL;
    MPI_Status status = {};  ///< of a message of three numbers
    int value = 0;
    double time = 0;
};

/// Open MPI has it at MPI_COMM_WORLD alone, as the standard says.
int highest_tag() {
    int* highest = nullptr;
    int found = 0;
    FATHOM_MPI(MPI_Comm_get_attr, MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&highest), &found);
    return found != 0 ? *highest : -1;
}

/// A call that answers with one number.
struct Question {
    std::string_view name;
    void (*ask)(Answers& a);
    int (*right)();  ///< the answer; nullptr if there is none to be known
};

constexpr int message_numbers = 3;
constexpr int least_highest_tag = 32767;
constexpr auto questions = std::to_array<Question>({
    {"empty", [](Answers& /*a*/) {}, nullptr},
    {"wtime", [](Answers& a) { a.time = MPI_Wtime(); }, nullptr},
    {"comm_rank", [](Answers& a) { FATHOM_MPI(MPI_Comm_rank, a.communicator, &a.value); }, [] { return 0; }},
    {"comm_size", [](Answers& a) { FATHOM_MPI(MPI_Comm_size, a.communicator, &a.value); }, [] { return 1; }},
    {"iprobe",
     [](Answers& a) {
         FATHOM_MPI(MPI_Iprobe, MPI_ANY_SOURCE, MPI_ANY_TAG, a.communicator, &a.value, MPI_STATUS_IGNORE);
     },
     [] { return 0; }},
    {"test",
     [](Answers& a) {
         MPI_Request request = MPI_REQUEST_NULL;
         MPI_Status status;  // SimGrid 3.32 gives no answer without one
         int done = 0;
         FATHOM_MPI(MPI_Test, &request, &done, &status);
         a.value = done != 0 ? 1 : 0;
     },
     [] { return 1; }},
    {"type_size", [](Answers& a) { FATHOM_MPI(MPI_Type_size, MPI_DOUBLE, &a.value); },
     [] { return static_cast<int>(sizeof(double)); }},
    {"get_count", [](Answers& a) { FATHOM_MPI(MPI_Get_count, &a.status, MPI_DOUBLE, &a.value); },
     [] { return message_numbers; }},
    // No library may have less than 32767.
    {"attr_get", [](Answers& a) { a.value = highest_tag(); },
     [] { return std::max(highest_tag(), least_highest_tag); }},
});

class Asked : public Many<Answers> {
  public:
    Asked(const OperationContext& context, const Question& question)
        : Many(question.ask, calls), question_(question) {
        desk().communicator = context.communicator;
        std::array<double, message_numbers> sent{};
        std::array<double, message_numbers> got{};
        FATHOM_MPI(MPI_Sendrecv, sent.data(), message_numbers, MPI_DOUBLE, 0, 0, got.data(), message_numbers,
                   MPI_DOUBLE, 0, 0, context.communicator, &desk().status);
        Asked::prepare_check();
    }

    void prepare_check() override {
        desk().value = question_.right != nullptr ? ~question_.right() : 0;
        desk().time = before_ = MPI_Wtime();
    }

    [[nodiscard]] std::string check() const override {
        if (question_.right != nullptr && desk().value != question_.right()) {
            return fmt::format("the answer is {}, expected {}", desk().value, question_.right());
        }
        const auto now = MPI_Wtime();
        if (desk().time < before_ || desk().time > now) {
            return fmt::format("the clock went from {} to {} to {}", before_, desk().time, now);
        }
        return {};
    }

    [[nodiscard]] std::span<std::byte> received() override {
        return question_.right != nullptr ? std::as_writable_bytes(std::span(&desk().value, 1))
                                          : std::span<std::byte>();
    }

  private:
    static constexpr std::int64_t calls = 1000;
    const Question& question_;
    double before_ = 0;
};

struct Sum {
    const void* in = nullptr;
    void* sum = nullptr;
    int count = 0;
    MPI_Datatype type = MPI_BYTE;
};

/// Adds the same input in every call: outside of checks a float grows until the input is lost against it,
/// which takes no other time.
template <typename Element>
class LocalSum : public Many<Sum> {
  public:
    LocalSum(const OperationContext& context, MPI_Datatype type, const char* type_name)
        : Many([](Sum& s) { FATHOM_MPI(MPI_Reduce_local, s.in, s.sum, s.count, s.type, MPI_SUM); },
               parts_for(possible(context, type_name))),
          seed_(context.seed),
          type_name_(type_name),
          in_(context.size, context.region),
          sum_(context.size, context.region) {
        desk() = {.in = in_.data(),
                  .sum = sum_.data(),
                  .count = static_cast<int>(context.size.count / bytes),
                  .type = type};
        LocalSum::prepare_check();
    }

    void next(std::int64_t /*rep*/) override {
        in_.next();
        sum_.next();
        desk().in = in_.data();
        desk().sum = sum_.data();
    }

    void prepare_check() override {
        auto* const in = reinterpret_cast<Element*>(in_.data());
        auto* const sum = reinterpret_cast<Element*>(sum_.data());
        for (int i = 0; i < desk().count; ++i) {
            in[i] = static_cast<Element>(summand(i));
            sum[i] = static_cast<Element>(first(i));
        }
    }

    [[nodiscard]] std::string check() const override {
        const auto* const sum = reinterpret_cast<const Element*>(sum_.data());
        for (int i = 0; i < desk().count; ++i) {
            const auto right = static_cast<Element>(first(i) + parts() * summand(i));
            if (!same_bits(sum[i], right)) {
                return fmt::format("element {} is {}, expected {}", i, sum[i], right);
            }
        }
        return {};
    }

    [[nodiscard]] std::span<std::byte> received() override { return sum_.bytes(); }
    [[nodiscard]] std::string datatype() const override { return type_name_; }

  private:
    static constexpr auto bytes = static_cast<std::int64_t>(sizeof(Element));

    static const OperationContext& possible(const OperationContext& context, const char* type_name) {
        mpi::as_count(context.size.count / bytes, fmt::format("elements of {}", type_name));
        need_memory({2 * memory_of(context.size.count, context).count}, context);
        return context;
    }
    /// Small numbers, so that sums are exact; 1 at least, so that they change.
    [[nodiscard]] std::int64_t summand(int index) const { return 1 + first(index); }
    [[nodiscard]] std::int64_t first(int index) const {
        constexpr std::uint64_t numbers = 16;
        return static_cast<std::int64_t>(splitmix64(seed_, static_cast<std::uint64_t>(index)) % numbers);
    }

    std::uint64_t seed_;
    const char* type_name_;
    Buffer in_;
    Buffer sum_;
};

struct PackedParcel {
    void* loose = nullptr;
    int count = 0;
    MPI_Datatype type = MPI_BYTE;
    void* packed = nullptr;
    int bytes = 0;
    int position = 0;
    MPI_Comm communicator = MPI_COMM_NULL;
};

void pack(PackedParcel& p) {
    p.position = 0;
    FATHOM_MPI(MPI_Pack, p.loose, p.count, p.type, p.packed, p.bytes, &p.position, p.communicator);
}
void unpack(PackedParcel& p) {
    p.position = 0;
    FATHOM_MPI(MPI_Unpack, p.packed, p.bytes, &p.position, p.loose, p.count, p.type, p.communicator);
}

/// Blocks with gaps between them are packed together, or unpacked into. Every block is a stream of its own.
class PackedCall : public Many<PackedParcel> {
  public:
    enum class Way { pack, unpack };

    PackedCall(const OperationContext& context, Way way)
        : Many(way == Way::pack ? pack : unpack, parts_for(possible(context))),
          way_(way),
          seed_(context.seed),
          blocks_(Shape::vector, context.size),
          message_(Shape::vector, context.size),
          loose_(blocks_.span(), context.region),
          packed_(context.size, context.region) {
        desk() = {.loose = loose_.data(),
                  .count = message_.count(),
                  .type = message_.datatype(),
                  .packed = packed_.data(),
                  .bytes = static_cast<int>(context.size.count),
                  .communicator = context.communicator};
        PackedCall::prepare_check();
    }

    void next(std::int64_t /*rep*/) override {
        loose_.next();
        packed_.next();
        desk().loose = loose_.data();
        desk().packed = packed_.data();
    }

    void prepare_check() override {
        std::fill(loose_.bytes().begin(), loose_.bytes().end(), gap);
        std::int64_t before = 0;
        for (std::int64_t i = 0; i < blocks_.count(); ++i) {
            const auto block = blocks_.at(i);
            const auto loose = part(loose_, block.place, block.length);
            const auto packed = part(packed_, before, block.length);
            fill_pattern(way_ == Way::pack ? loose : packed, stream(i));
            fill_wrong(way_ == Way::pack ? packed : loose, stream(i));
            before += block.length;
        }
        desk().position = 0;
    }

    [[nodiscard]] std::string check() const override {
        if (desk().position != desk().bytes) {
            return fmt::format("{} bytes were packed or unpacked, expected {}", desk().position,
                               desk().bytes);
        }
        std::int64_t before = 0;
        std::int64_t behind = 0;
        for (std::int64_t i = 0; i < blocks_.count(); ++i) {
            const auto block = blocks_.at(i);
            const auto skipped = part(loose_, behind, block.place - behind);
            if (std::any_of(skipped.begin(), skipped.end(), [](auto byte) { return byte != gap; })) {
                return fmt::format("something was written before block {}", i);
            }
            const auto wrong = compare_pattern(way_ == Way::pack ? part(packed_, before, block.length)
                                                                 : part(loose_, block.place, block.length),
                                               stream(i));
            if (!wrong.empty()) {
                return fmt::format("in block {}: {}", i, wrong);
            }
            before += block.length;
            behind = block.place + block.length;
        }
        return {};
    }

    [[nodiscard]] std::span<std::byte> received() override {
        return (way_ == Way::pack ? packed_ : loose_).bytes();
    }
    [[nodiscard]] std::string datatype() const override { return message_.text(); }

  private:
    static constexpr std::byte gap{0x5a};

    static const OperationContext& possible(const OperationContext& context) {
        if (context.size.count > INT_MAX) {
            throw Unavailable(fmt::format("{} exceed MPI_Pack's 32-bit positions", to_text(context.size)));
        }
        need_memory({memory_of(Blocks(Shape::vector, context.size).span().count, context).count +
                     memory_of(context.size.count, context).count},
                    context);
        return context;
    }
    [[nodiscard]] std::uint64_t stream(std::int64_t block) const {
        return splitmix64(seed_, static_cast<std::uint64_t>(block));
    }
    static std::span<std::byte> part(const Buffer& buffer, std::int64_t start, std::int64_t length) {
        return buffer.bytes().subspan(static_cast<std::size_t>(start), static_cast<std::size_t>(length));
    }

    Way way_;
    std::uint64_t seed_;
    Blocks blocks_;
    BlockMessage message_;
    Buffer loose_;
    Buffer packed_;
};

std::unique_ptr<Operation> make_local_sum(const OperationContext& context) {
    const bool divides = context.size.count % static_cast<std::int64_t>(sizeof(float)) == 0;
    if (divides) {
        return std::make_unique<LocalSum<float>>(context, MPI_FLOAT, "float");
    }
    return std::make_unique<LocalSum<unsigned char>>(context, MPI_UNSIGNED_CHAR, "unsigned char");
}

template <PackedCall::Way way>
std::unique_ptr<Operation> make_packed_call(const OperationContext& context) {
    return std::make_unique<PackedCall>(context, way);
}

/// Calls with a message.
struct DataCall {
    std::string_view name;
    std::unique_ptr<Operation> (*make)(const OperationContext& context);
};

constexpr auto data_calls = std::to_array<DataCall>({
    {"reduce_local", make_local_sum},
    {"pack", make_packed_call<PackedCall::Way::pack>},
    {"unpack", make_packed_call<PackedCall::Way::unpack>},
});

}  // namespace

std::unique_ptr<Operation> make_single(const plan::OperationInfo& info, const OperationContext& context) {
    if (const auto* const row = std::ranges::find(data_calls, info.call, &DataCall::name);
        row != data_calls.end()) {
        return row->make(context);
    }
    const auto* const row = std::ranges::find(questions, info.call, &Question::name);
    return row == questions.end() ? nullptr : std::make_unique<Asked>(context, *row);
}

}  // namespace fathom::probe

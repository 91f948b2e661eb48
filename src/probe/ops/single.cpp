// Calls of one rank alone. They are too short for a clock, so a repetition is many of them in a row, all
// made through a pointer to a function: the one that does nothing tells what that takes.
#include <algorithm>
#include <array>
#include <type_traits>

#include <climits>
#include <fmt/format.h>

#include "probe/mpi/check.hpp"
#include "probe/ops/buffer.hpp"
#include "probe/ops/data.hpp"
#include "probe/ops/memory.hpp"
#include "probe/ops/registry.hpp"

namespace fathom::probe {
namespace {

/// Many calls of one function, which finds all it needs on the desk.
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
        if (context.size.count / bytes > INT_MAX) {
            throw mpi::Unavailable(fmt::format("{} elements of {} are more than MPI's 32-bit counts can say",
                                               context.size.count / bytes, type_name));
        }
        need_memory({2 * memory_of(context.size.count, context).count}, context);
        return context;
    }
    /// Small numbers, so that sums are exact; 1 at least, so that they change.
    [[nodiscard]] std::int64_t summand(int index) const { return 1 + first(index); }
    [[nodiscard]] std::int64_t first(int index) const {
        constexpr std::uint64_t numbers = 16;
        return static_cast<std::int64_t>(mixed(seed_, static_cast<std::uint64_t>(index)) % numbers);
    }

    std::uint64_t seed_;
    const char* type_name_;
    Buffer in_;
    Buffer sum_;
};

/// Memory of which every second 8 bytes belong to the message; the last of them may be fewer.
struct Comb {
    static constexpr std::int64_t tooth = 8;
    static constexpr std::int64_t pitch = 16;
    std::int64_t message = 0;  ///< bytes

    [[nodiscard]] std::int64_t teeth() const { return (message + tooth - 1) / tooth; }
    [[nodiscard]] std::int64_t memory() const { return teeth() * pitch; }
    [[nodiscard]] std::int64_t length(std::int64_t number) const {
        return std::min(tooth, message - number * tooth);
    }
};

/// A comb as MPI's datatype.
class CombType {
  public:
    explicit CombType(const Comb& comb) {
        const auto whole = static_cast<int>(comb.message / Comb::tooth);
        const auto rest = static_cast<int>(comb.message % Comb::tooth);
        MPI_Datatype teeth = MPI_DATATYPE_NULL;
        FATHOM_MPI(MPI_Type_vector, whole, Comb::tooth, Comb::pitch, MPI_BYTE, &teeth);
        const std::array<int, 2> counts{1, rest};
        const std::array<MPI_Aint, 2> places{0, static_cast<MPI_Aint>(whole) * Comb::pitch};
        const std::array<MPI_Datatype, 2> types{teeth, MPI_BYTE};
        if (rest == 0) {
            type_ = teeth;
        } else {
            FATHOM_MPI(MPI_Type_create_struct, 2, counts.data(), places.data(), types.data(), &type_);
            FATHOM_MPI(MPI_Type_free, &teeth);
        }
        FATHOM_MPI(MPI_Type_commit, &type_);
    }
    CombType(const CombType&) = delete;
    CombType& operator=(const CombType&) = delete;
    ~CombType() { MPI_Type_free(&type_); }

    [[nodiscard]] MPI_Datatype get() const { return type_; }

  private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

struct Parcel {
    void* comb = nullptr;
    void* packed = nullptr;
    int bytes = 0;
    int position = 0;
    MPI_Datatype type = MPI_BYTE;
    MPI_Comm communicator = MPI_COMM_NULL;
};

void pack(Parcel& p) {
    p.position = 0;
    FATHOM_MPI(MPI_Pack, p.comb, 1, p.type, p.packed, p.bytes, &p.position, p.communicator);
}
void unpack(Parcel& p) {
    p.position = 0;
    FATHOM_MPI(MPI_Unpack, p.packed, p.bytes, &p.position, p.comb, 1, p.type, p.communicator);
}

class Packed : public Many<Parcel> {
  public:
    enum class Way { pack, unpack };

    Packed(const OperationContext& context, Way way)
        : Many(way == Way::pack ? pack : unpack, parts_for(possible(context))),
          way_(way),
          seed_(context.seed),
          comb_{context.size.count},
          type_(comb_),
          loose_(Bytes{comb_.memory()}, context.region),
          packed_(context.size, context.region) {
        desk() = {.comb = loose_.data(),
                  .packed = packed_.data(),
                  .bytes = static_cast<int>(comb_.message),
                  .type = type_.get(),
                  .communicator = context.communicator};
        Packed::prepare_check();
    }

    void next(std::int64_t /*rep*/) override {
        loose_.next();
        packed_.next();
        desk().comb = loose_.data();
        desk().packed = packed_.data();
    }

    void prepare_check() override {
        std::fill(loose_.bytes().begin(), loose_.bytes().end(), gap);
        const bool packs = way_ == Way::pack;
        for (std::int64_t i = 0; i < comb_.teeth(); ++i) {
            (packs ? fill_pattern : fill_wrong)(in_comb(i), stream(i));
            (packs ? fill_wrong : fill_pattern)(in_packed(i), stream(i));
        }
        desk().position = 0;
    }

    [[nodiscard]] std::string check() const override {
        if (desk().position != desk().bytes) {
            return fmt::format("{} bytes were packed or unpacked, expected {}", desk().position,
                               desk().bytes);
        }
        for (std::int64_t i = 0; i < comb_.teeth(); ++i) {
            const auto wrong = compare_pattern(way_ == Way::pack ? in_packed(i) : in_comb(i), stream(i));
            if (!wrong.empty()) {
                return fmt::format("in block {}: {}", i, wrong);
            }
            const auto behind = gap_behind(i);
            if (std::any_of(behind.begin(), behind.end(), [](auto byte) { return byte != gap; })) {
                return fmt::format("bytes behind block {} were written to", i);
            }
        }
        return {};
    }

    [[nodiscard]] std::span<std::byte> received() override {
        return (way_ == Way::pack ? packed_ : loose_).bytes();
    }
    [[nodiscard]] std::string datatype() const override { return "blocks of 8 bytes, 16 apart"; }

  private:
    static constexpr std::byte gap{0x5a};

    static const OperationContext& possible(const OperationContext& context) {
        if (context.size.count > INT_MAX) {
            throw mpi::Unavailable("MPI_Pack counts bytes in 32 bits");
        }
        need_memory({memory_of(Comb{context.size.count}.memory(), context).count +
                     memory_of(context.size.count, context).count},
                    context);
        return context;
    }

    [[nodiscard]] std::uint64_t stream(std::int64_t tooth) const {
        return mixed(seed_, static_cast<std::uint64_t>(tooth));
    }
    static std::span<std::byte> part(const Buffer& buffer, std::int64_t start, std::int64_t length) {
        return buffer.bytes().subspan(static_cast<std::size_t>(start), static_cast<std::size_t>(length));
    }
    [[nodiscard]] std::span<std::byte> in_comb(std::int64_t tooth) const {
        return part(loose_, tooth * Comb::pitch, comb_.length(tooth));
    }
    [[nodiscard]] std::span<std::byte> in_packed(std::int64_t tooth) const {
        return part(packed_, tooth * Comb::tooth, comb_.length(tooth));
    }
    [[nodiscard]] std::span<std::byte> gap_behind(std::int64_t tooth) const {
        const auto length = comb_.length(tooth);
        return part(loose_, tooth * Comb::pitch + length, Comb::pitch - length);
    }

    Way way_;
    std::uint64_t seed_;
    Comb comb_;
    CombType type_;
    Buffer loose_;
    Buffer packed_;
};

}  // namespace

std::unique_ptr<Operation> make_single(std::string_view name, const OperationContext& context) {
    if (name == "reduce_local") {
        const bool divides = context.size.count % static_cast<std::int64_t>(sizeof(float)) == 0;
        if (divides) {
            return std::make_unique<LocalSum<float>>(context, MPI_FLOAT, "float");
        }
        return std::make_unique<LocalSum<unsigned char>>(context, MPI_UNSIGNED_CHAR, "unsigned char");
    }
    if (name == "pack" || name == "unpack") {
        return std::make_unique<Packed>(context, name == "pack" ? Packed::Way::pack : Packed::Way::unpack);
    }
    const auto* const found = std::find_if(questions.begin(), questions.end(),
                                           [&](const auto& question) { return question.name == name; });
    return found == questions.end() ? nullptr : std::make_unique<Asked>(context, *found);
}

}  // namespace fathom::probe

#include <algorithm>
#include <array>
#include <type_traits>

#include <fmt/format.h>

#include "probe/mpi/check.hpp"
#include "probe/mpi/flavour.hpp"
#include "probe/ops/collective.hpp"
#include "probe/ops/data.hpp"

namespace fathom::probe::collective {
namespace {

/// Sums of numbers; they are small whole ones, exact in float, modulo 256 in unsigned char.
template <typename Number>
class Sums {
  public:
    using Element = Number;
    static constexpr bool commutative = true;

    Sums(std::uint64_t seed, int ranks) : summands_(seed, ranks) {}
    [[nodiscard]] Element of_rank(int rank, std::uint64_t index) const {
        return static_cast<Element>(summands_.of_rank(rank, index));
    }
    [[nodiscard]] Element result(std::uint64_t index) const {
        return static_cast<Element>(summands_.sum(index));
    }
    [[nodiscard]] bool right(Element element, std::uint64_t index) const {
        return same_bits(element, result(index));
    }
    static Element wrong(Element right) { return static_cast<Element>(right + 1); }
    static Element combined(Element a, Element b) { return static_cast<Element>(a + b); }
    static std::string text(Element element) { return fmt::format("{}", element); }

  private:
    Summands summands_;
};

/// One of the library's other operations: what ranks have, and what comes of two.
template <typename Number, plan::ReduceOp op>
class Reduction {
  public:
    using Element = Number;

    Reduction(std::uint64_t seed, int ranks) : values_(seed, ranks, value, combined) {}
    [[nodiscard]] Element of_rank(int rank, std::uint64_t index) const {
        return values_.of_rank(rank, index);
    }
    [[nodiscard]] Element result(std::uint64_t index) const { return values_.result(index); }
    [[nodiscard]] bool right(Element element, std::uint64_t index) const {
        return same_bits(element, result(index));
    }
    static Element wrong(Element right) { return static_cast<Element>(right + 1); }
    static std::string text(Element element) { return fmt::format("{}", element); }

  private:
    /// Bits that one rank of 16 has alone, or lacks alone, show whether that rank took part.
    static Element value(unsigned number) {
        constexpr int bits = 0x5a;
        constexpr int all = 0x7f;
        if constexpr (op == plan::ReduceOp::bor) {
            return static_cast<Element>(number == 0 ? bits : 0);
        } else if constexpr (op == plan::ReduceOp::band) {
            return static_cast<Element>(number == 0 ? all & ~bits : all);
        } else {
            return static_cast<Element>(number);
        }
    }
    static Element combined(Element a, Element b) {
        if constexpr (op == plan::ReduceOp::max) {
            return std::max(a, b);
        } else if constexpr (op == plan::ReduceOp::min) {
            return std::min(a, b);
        } else if constexpr (op == plan::ReduceOp::band) {
            return static_cast<Element>(a & b);
        } else if constexpr (op == plan::ReduceOp::bor) {
            return static_cast<Element>(a | b);
        } else {
            static_assert(op == plan::ReduceOp::bxor);
            return static_cast<Element>(a ^ b);
        }
    }

    Reducible<Number> values_;
};

/// What comes of an operation that does nothing: the element of some rank, of which one the library decides.
template <typename Number>
class Untouched {
  public:
    using Element = Number;

    Untouched(std::uint64_t seed, int ranks) : summands_(seed, ranks), ranks_(ranks) {}
    [[nodiscard]] Element of_rank(int rank, std::uint64_t index) const {
        return static_cast<Element>(summands_.of_rank(rank, index));
    }
    [[nodiscard]] Element result(std::uint64_t index) const { return of_rank(0, index); }
    [[nodiscard]] bool right(Element element, std::uint64_t index) const {
        for (int rank = 0; rank < ranks_; ++rank) {
            if (same_bits(element, of_rank(rank, index))) {
                return true;
            }
        }
        return false;
    }
    /// No rank has it.
    static Element wrong(Element /*right*/) { return Element{100}; }
    static std::string text(Element element) { return fmt::format("{}", element); }

  private:
    Summands summands_;
    int ranks_;
};

void do_nothing(void* /*in*/, void* /*in_and_out*/, int* /*count*/, MPI_Datatype* /*type*/) {}

/// Products of matrices in the order of ranks.
class Products {
  public:
    using Element = Factor;
    static constexpr bool commutative = false;

    Products(std::uint64_t seed, int ranks) : factors_(seed, ranks) {}
    [[nodiscard]] Element of_rank(int rank, std::uint64_t index) const {
        return factors_.of_rank(rank, index);
    }
    [[nodiscard]] Element result(std::uint64_t index) const { return factors_.product(index); }
    [[nodiscard]] bool right(const Element& element, std::uint64_t index) const {
        return same_bits(element, result(index));
    }
    static Element wrong(Element right) {
        for (auto& cell : right.cells) {
            ++cell;
        }
        return right;
    }
    static Element combined(const Element& a, const Element& b) { return a * b; }
    static std::string text(const Element& element) { return element.text(); }

  private:
    Factors factors_;
};

/// The user-defined operation of an algebra, as MPI calls it.
template <typename Algebra>
void combine(void* in, void* in_and_out, int* count, MPI_Datatype* /*type*/) {
    const auto* const lower = static_cast<const typename Algebra::Element*>(in);
    auto* const upper = static_cast<typename Algebra::Element*>(in_and_out);
    for (int i = 0; i < *count; ++i) {
        upper[i] = Algebra::combined(lower[i], upper[i]);
    }
}

/// What is reduced, and by what. Owns what it had to make: the base class hands it to MPI, so it has to be
/// there first.
class Reducer {
  public:
    Reducer(const Reducer&) = delete;
    Reducer& operator=(const Reducer&) = delete;

  protected:
    /// Numbers that an operation of the library puts together.
    Reducer(MPI_Datatype type, MPI_Op op) : type_(type), op_(op) {}
    /// Elements that a user-defined operation puts together; they have no type of their own if it is null.
    Reducer(MPI_Datatype type, MPI_User_function* function, bool commutative, std::size_t bytes)
        : type_(type), own_type_(type == MPI_DATATYPE_NULL), own_op_(true) {
        if (own_type_) {
            FATHOM_MPI(MPI_Type_contiguous, static_cast<int>(bytes), MPI_UNSIGNED_CHAR, &type_);
            FATHOM_MPI(MPI_Type_commit, &type_);
        }
        FATHOM_MPI(MPI_Op_create, function, commutative ? 1 : 0, &op_);
    }
    ~Reducer() {
        if (own_op_) {
            MPI_Op_free(&op_);
        }
        if (own_type_) {
            MPI_Type_free(&type_);
        }
    }

    [[nodiscard]] Elements elements(std::int64_t count) const {
        return {.count = static_cast<int>(count), .type = type_, .op = op_};
    }

  private:
    MPI_Datatype type_;
    MPI_Op op_ = MPI_OP_NULL;
    bool own_type_ = false;
    bool own_op_ = false;
};

/// Elements of one type over ranks.
template <typename Algebra>
class Reduced : private Reducer, public Collective {
  public:
    using Element = typename Algebra::Element;

    template <typename... Reducing>
    Reduced(const OperationContext& context, Call call, const Layout& layout, std::string text,
            Reducing... reducing)
        : Reducer(reducing...),
          Collective(context, call, layout, elements(layout.block)),
          text_(std::move(text)),
          algebra_(context.seed, ranks(context, call.row)) {
        Reduced::prepare_check();
        bind();
    }

    void prepare_check() override {
        for (int thread = 0; thread < contributors().own; ++thread) {
            const auto bytes = input_of(thread);
            auto* const in = reinterpret_cast<Element*>(bytes.data());
            for (std::size_t i = 0; i < bytes.size() / sizeof(Element); ++i) {
                in[i] = algebra_.of_rank(contributors().first + thread, i);
            }
            auto* const out = reinterpret_cast<Element*>(output_of(thread).data());
            for (std::size_t i = 0; i < output_of(thread).size() / sizeof(Element); ++i) {
                out[i] = Algebra::wrong(algebra_.result(place(i)));
            }
        }
    }

    [[nodiscard]] std::string check() const override {
        for (int thread = 0; thread < contributors().own; ++thread) {
            if (const auto wrong = check_of(thread); !wrong.empty()) {
                return in_thread(thread, wrong);
            }
        }
        return {};
    }

    [[nodiscard]] std::string datatype() const override { return text_; }

  private:
    [[nodiscard]] std::string check_of(int thread) const {
        const auto bytes = output_of(thread);
        const auto* const out = reinterpret_cast<const Element*>(bytes.data());
        for (std::size_t i = 0; gets_something(thread) && i < bytes.size() / sizeof(Element); ++i) {
            if (!algebra_.right(out[i], place(i))) {
                return fmt::format("element {} is {}, expected {}", i, Algebra::text(out[i]),
                                   Algebra::text(algebra_.result(place(i))));
            }
        }
        return {};
    }
    /// Contributors that take part in the result, from 0 on.
    static int ranks(const OperationContext& context, const Row& row) {
        return row.content == Content::reduced_up_to   ? context.rank + 1
               : row.content == Content::reduced_below ? context.rank
                                                       : contributors_of(context).all;
    }
    /// Of which element of the input an output is made: where inputs have a block for every rank, the own one
    /// is what comes out.
    [[nodiscard]] std::uint64_t place(std::size_t index) const {
        const auto first =
            row().in.blocks == Blocks::for_each ? layout().in.start(context().rank) : std::int64_t{0};
        return static_cast<std::uint64_t>(first) + index;
    }

    std::string text_;
    Algebra algebra_;
};

/// The layout in elements. Throws Unavailable where they do not make up the size.
template <typename Element>
Layout elements_of(const OperationContext& context, const Call& call, std::string_view name) {
    constexpr auto bytes = static_cast<std::int64_t>(sizeof(Element));
    if (context.size.count % bytes != 0) {
        throw Unavailable(
            fmt::format("size {} is not a multiple of {}'s {} bytes", context.size.count, name, bytes));
    }
    auto layout = layout_of(call.row.in, call.row.out, call.by_counts(), bytes, context);
    mpi::as_count(layout.block, fmt::format("elements of {}", name));
    return layout;
}

bool bitwise(plan::ReduceOp op) {
    return op == plan::ReduceOp::band || op == plan::ReduceOp::bor || op == plan::ReduceOp::bxor;
}

template <typename Number>
std::unique_ptr<Operation> make_of(const OperationContext& context, Call call, MPI_Datatype type,
                                   const char* name) {
    using plan::ReduceOp;
    using Sum = Sums<Number>;
    const auto op = context.settings.reduce_op;
    const auto layout = elements_of<Number>(context, call, name);
    const auto by_library = [&]<ReduceOp own>(MPI_Op library) -> std::unique_ptr<Operation> {
        return std::make_unique<Reduced<Reduction<Number, own>>>(
            context, call, layout, fmt::format("{}, {}", name, to_text(own)), type, library);
    };
    switch (op) {
        case ReduceOp::sum:
            return std::make_unique<Reduced<Sum>>(context, call, layout, name, type, MPI_SUM);
        case ReduceOp::max:
            return by_library.template operator()<ReduceOp::max>(MPI_MAX);
        case ReduceOp::min:
            return by_library.template operator()<ReduceOp::min>(MPI_MIN);
        case ReduceOp::empty:
            return std::make_unique<Reduced<Untouched<Number>>>(context, call, layout,
                                                                fmt::format("{}, user-defined, empty", name),
                                                                type, do_nothing, true, sizeof(Number));
        case ReduceOp::user:
            return std::make_unique<Reduced<Sum>>(context, call, layout,
                                                  fmt::format("{}, user-defined sum", name), type,
                                                  combine<Sum>, true, sizeof(Number));
        default:
            break;
    }
    if constexpr (std::is_integral_v<Number>) {
        if (op == ReduceOp::band) {
            return by_library.template operator()<ReduceOp::band>(MPI_BAND);
        }
        if (op == ReduceOp::bor) {
            return by_library.template operator()<ReduceOp::bor>(MPI_BOR);
        }
        return by_library.template operator()<ReduceOp::bxor>(MPI_BXOR);
    } else {
        throw Unavailable(fmt::format("bitwise reductions take integers, not {} (--type)", name));
    }
}

std::unique_ptr<Operation> make_ordered(const OperationContext& context, Call call) {
    if (context.settings.type != plan::ElementType::automatic) {
        throw Unavailable(fmt::format("the user-ordered reduction is of 4-byte matrices, not of {}",
                                      to_text(context.settings.type)));
    }
    const bool simgrid_fails = call.form() == Form::non_blocking ||
                               call.row.content == Content::reduced_up_to ||
                               call.row.content == Content::reduced_below;
    if (mpi::simulated && simgrid_fails) {
        throw Unavailable(
            "SimGrid gives wrong results in scans and non-blocking reductions that are not commutative");
    }
    return std::make_unique<Reduced<Products>>(context, call, elements_of<Factor>(context, call, "a matrix"),
                                               "4-byte matrices, user-defined, not commutative",
                                               MPI_DATATYPE_NULL, combine<Products>, Products::commutative,
                                               sizeof(Factor));
}

}  // namespace

std::unique_ptr<Operation> make_reduced(const OperationContext& context, Call call) {
    if (context.settings.reduce_op == plan::ReduceOp::user_ordered) {
        return make_ordered(context, call);
    }
    const auto type = context.settings.type;
    if (type == plan::ElementType::int_) {
        return make_of<int>(context, call, MPI_INT, "int");
    }
    if (type == plan::ElementType::double_) {
        return make_of<double>(context, call, MPI_DOUBLE, "double");
    }
    static_assert(sizeof(int) == sizeof(float));
    const bool divides = context.size.count % static_cast<std::int64_t>(sizeof(float)) == 0;
    if (type == plan::ElementType::automatic && divides && bitwise(context.settings.reduce_op)) {
        return make_of<int>(context, call, MPI_INT, "int");
    }
    if (type == plan::ElementType::float_ || divides) {
        return make_of<float>(context, call, MPI_FLOAT, "float");
    }
    return make_of<unsigned char>(context, call, MPI_UNSIGNED_CHAR, "unsigned char");
}

}  // namespace fathom::probe::collective

#include <limits>

#include <fmt/format.h>

#include "probe/mpi/check.hpp"
#include "probe/ops/buffer.hpp"
#include "probe/ops/data.hpp"
#include "probe/ops/registry.hpp"

namespace fathom::probe {
namespace {

/// Sum of elements of one type; sums are small whole numbers, exact in float, modulo 256 in unsigned char.
template <typename Element>
class Allreduce : public Operation {
  public:
    Allreduce(const OperationContext& context, MPI_Datatype type, const char* type_name)
        : context_(context),
          type_(type),
          type_name_(type_name),
          count_(static_cast<std::size_t>(context.size.count) / sizeof(Element)),
          summands_(context.seed, context.procs),
          input_(context.size, context.region),
          result_(context.size, context.region) {
        if (count_ > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
            throw mpi::Unavailable(fmt::format("{} elements of {} are more than MPI's 32-bit counts can say",
                                               count_, type_name));
        }
        Allreduce::prepare_check();
    }

    void call() override {
        FATHOM_MPI(MPI_Allreduce, input_.data(), result_.data(), static_cast<int>(count_), type_, MPI_SUM,
                   context_.communicator);
    }

    void next() override {
        input_.next();
        result_.next();
    }

    void prepare_check() override {
        auto* const input = reinterpret_cast<Element*>(input_.data());
        auto* const result = reinterpret_cast<Element*>(result_.data());
        for (std::size_t i = 0; i < count_; ++i) {
            input[i] = static_cast<Element>(summands_.of_rank(context_.rank, i));
            result[i] = static_cast<Element>(expected(i) + 1);
        }
    }

    [[nodiscard]] std::string check() const override {
        const auto* const result = reinterpret_cast<const Element*>(result_.data());
        for (std::size_t i = 0; i < count_; ++i) {
            if (result[i] != expected(i)) {
                return fmt::format("element {} is {}, expected {}", i, result[i], expected(i));
            }
        }
        return {};
    }

    [[nodiscard]] std::string datatype() const override { return type_name_; }

  private:
    [[nodiscard]] Element expected(std::size_t index) const {
        return static_cast<Element>(summands_.sum(index));
    }

    OperationContext context_;
    MPI_Datatype type_;
    const char* type_name_;
    std::size_t count_;
    Summands summands_;
    Buffer input_;
    Buffer result_;
};

}  // namespace

std::unique_ptr<Operation> make_allreduce(const OperationContext& context) {
    if (context.size.count % static_cast<std::int64_t>(sizeof(float)) == 0) {
        return std::make_unique<Allreduce<float>>(context, MPI_FLOAT, "float");
    }
    return std::make_unique<Allreduce<unsigned char>>(context, MPI_UNSIGNED_CHAR, "unsigned char");
}

}  // namespace fathom::probe

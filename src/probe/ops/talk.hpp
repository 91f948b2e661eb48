#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/units.hpp"
#include "plan/pairing.hpp"
#include "probe/interfaces/operation.hpp"
#include "probe/ops/block_message.hpp"
#include "probe/ops/blocks.hpp"
#include "probe/ops/buffer.hpp"
#include "probe/ops/registry.hpp"

namespace fathom::probe {

/// What a rank does in a repetition.
enum class Turn {
    idle,
    sends,
    receives,
    asks,     ///< sends, then receives the answer
    answers,  ///< receives, then sends
    both,     ///< at once
};

/// A rank's partner, and how roles change from one repetition to the next.
struct Roles {
    int partner = plan::nobody;
    std::array<Turn, 2> turns{Turn::idle, Turn::idle};  ///< in even and in odd repetitions
    bool by_turns = false;                              ///< whether they differ, on any rank
};

/// Messages between a rank and its partner: their memory, whose turn it is, and their data check. How they
/// are sent and received is for those who derive from it.
class Talk : public Operation {
  public:
    void next(std::int64_t rep) override;
    [[nodiscard]] std::int64_t cycle() const override { return roles_.by_turns ? 2 : 1; }
    void prepare_check() override;
    [[nodiscard]] std::string check() const override;
    [[nodiscard]] std::span<std::byte> received() override;
    [[nodiscard]] std::string datatype() const override { return message_.text(); }

  protected:
    /// The resources of an exchange.
    struct Layout {
        Shape data = Shape::bytes;     ///< how they lie in memory
        Shape message = Shape::bytes;  ///< as which MPI gets them
        bool one_buffer = false;       ///< messages come where others went from
        Bytes besides{0};              ///< memory of other buffers
    };

    /// Throws Unavailable if memory does not suffice, before any of it is taken.
    Talk(const OperationContext& context, const Roles& roles, const Layout& layout);

    [[nodiscard]] const OperationContext& context() const { return context_; }
    [[nodiscard]] int partner() const { return roles_.partner; }
    [[nodiscard]] bool has_partner() const { return roles_.partner != plan::nobody; }
    [[nodiscard]] Turn turn() const { return turn_; }
    [[nodiscard]] const BlockMessage& message() const { return message_; }
    [[nodiscard]] std::byte* out() const { return outgoing().data(); }
    [[nodiscard]] std::byte* in() const { return incoming_.data(); }

  private:
    static const OperationContext& affordable(const OperationContext& context, const Layout& layout);
    [[nodiscard]] const Buffer& outgoing() const { return one_buffer_ ? incoming_ : outgoing_; }
    [[nodiscard]] std::uint64_t stream(int sender, std::int64_t block) const;
    [[nodiscard]] std::span<std::byte> block(const Buffer& buffer, std::int64_t index) const;
    [[nodiscard]] bool receives() const { return turn_ != Turn::idle && turn_ != Turn::sends; }

    OperationContext context_;
    Roles roles_;
    Turn turn_;
    bool one_buffer_;
    Blocks blocks_;
    BlockMessage message_;
    Buffer outgoing_;
    Buffer incoming_;
};

}  // namespace fathom::probe

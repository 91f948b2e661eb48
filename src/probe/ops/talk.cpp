#include "probe/ops/talk.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "probe/mpi/check.hpp"
#include "probe/ops/data.hpp"
#include "probe/ops/memory.hpp"

namespace fathom::probe {
namespace {

/// What is in gaps between blocks, where no message may write.
constexpr std::byte gap{0xa5};

}  // namespace

Talk::Talk(const OperationContext& context, const Roles& roles, const Layout& layout)
    : context_(affordable(context, layout)),
      roles_(roles),
      turn_(roles.turns[0]),
      one_buffer_(layout.one_buffer),
      blocks_(layout.data, context.size),
      message_(layout.message, context.size),
      outgoing_(one_buffer_ ? Bytes{0} : blocks_.span(), one_buffer_ ? Bytes{0} : context.region),
      incoming_(blocks_.span(), context.region) {
    Talk::prepare_check();
}

const OperationContext& Talk::affordable(const OperationContext& context, const Layout& layout) {
    const auto buffer = memory_of(Blocks(layout.data, context.size).span().count, context);
    need_memory({(layout.one_buffer ? 1 : 2) * buffer.count + layout.besides.count +
                 BlockMessage::own_memory(layout.message, context.size).count},
                context);
    return context;
}

void Talk::next(std::int64_t rep) {
    turn_ = roles_.turns[static_cast<std::size_t>(rep % 2)];
    outgoing_.next();
    incoming_.next();
}

/// Every block is a stream of its own, so that one in the place of another shows.
std::uint64_t Talk::stream(int sender, std::int64_t block) const {
    return splitmix64(splitmix64(context_.seed, static_cast<std::uint64_t>(sender)),
                      static_cast<std::uint64_t>(block));
}

std::span<std::byte> Talk::block(const Buffer& buffer, std::int64_t index) const {
    const auto block = blocks_.at(index);
    return buffer.bytes().subspan(static_cast<std::size_t>(block.place),
                                  static_cast<std::size_t>(block.length));
}

void Talk::prepare_check() {
    if (!has_partner()) {
        return;
    }
    const auto count = blocks_.count();
    std::ranges::fill(incoming_.bytes(), gap);
    for (std::int64_t i = 0; i < count; ++i) {
        fill_wrong(block(incoming_, i), stream(roles_.partner, i));
    }
    for (std::int64_t i = 0; i < count; ++i) {
        fill_pattern(block(outgoing(), i), stream(context_.rank, i));
    }
}

std::string Talk::check() const {
    if (!receives()) {
        return {};
    }
    const auto count = blocks_.count();
    std::size_t end = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const auto bytes = block(incoming_, i);
        const auto begin = static_cast<std::size_t>(bytes.data() - incoming_.data());
        if (!std::ranges::all_of(incoming_.bytes().subspan(end, begin - end),
                                 [](std::byte value) { return value == gap; })) {
            return fmt::format("something was written between blocks {} and {}", i - 1, i);
        }
        end = begin + bytes.size();
        if (auto wrong = compare_pattern(bytes, stream(roles_.partner, i)); !wrong.empty()) {
            return count == 1 ? wrong : fmt::format("in block {}: {}", i, wrong);
        }
    }
    return {};
}

std::span<std::byte> Talk::received() {
    return receives() && blocks_.count() > 0 ? block(incoming_, 0) : std::span<std::byte>();
}

}  // namespace fathom::probe

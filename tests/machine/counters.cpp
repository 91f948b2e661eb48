#include "machine/counters.hpp"

#include <arpa/inet.h>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "machine/on_one_processor.hpp"

namespace fathom::machine {
namespace {

constexpr const char* table =
    "TcpExt: SyncookiesSent TCPTimeouts TCPLossProbes\n"
    "TcpExt: 5 17 99\n"
    "IpExt: InNoRoutes TCPTimeouts\n"
    "IpExt: 1 2\n";

TEST(CounterIn, FindsANumberByItsGroupAndName) {
    EXPECT_EQ(counter_in(table, "TcpExt", "TCPTimeouts"), 17);
    EXPECT_EQ(counter_in(table, "TcpExt", "TCPLossProbes"), 99);
    EXPECT_EQ(counter_in(table, "IpExt", "TCPTimeouts"), 2);
}

TEST(CounterIn, FindsNothingThatIsNotThere) {
    EXPECT_FALSE(counter_in(table, "TcpExt", "TCPLoss"));
    EXPECT_FALSE(counter_in(table, "Tcp", "TCPTimeouts"));
    EXPECT_FALSE(counter_in("", "Tcp", "X"));
    EXPECT_FALSE(counter_in("Tcp: A B\nTcp: 1\n", "Tcp", "B")) << "a line that is cut short";
    EXPECT_FALSE(counter_in("Tcp: A\nTcp: x\n", "Tcp", "A"));
}

TEST(ThreadCounts, CountPagesThatAreTouchedFirst) {
    constexpr std::size_t pages = 64;
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    auto* const memory = static_cast<volatile char*>(
        ::mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ::madvise(const_cast<char*>(memory), pages * page, MADV_NOHUGEPAGE);
    const auto before = thread_counts();
    for (std::size_t i = 0; i < pages; ++i) {
        memory[i * page] = 1;
    }
    const auto after = thread_counts();
    ::munmap(const_cast<char*>(memory), pages * page);
    EXPECT_GE(after.minor_faults - before.minor_faults, static_cast<std::int64_t>(pages));
    EXPECT_GE(after.processor, 0);
}

TEST(ThreadCounts, CountWaitsOfThisThreadOnly) {
    const auto before = thread_counts();
    std::thread other([] {
        for (int i = 0; i < 20; ++i) {
            ::usleep(100);
        }
    });
    ::usleep(1000);
    ::usleep(1000);
    const auto between = thread_counts();
    other.join();
    EXPECT_GE(between.blocked - before.blocked, 2);
    EXPECT_LT(between.blocked - before.blocked, 20);
}

TEST(NetworkCounters, AreThereAndNeverFall) {
    NetworkCounters counters;
    ASSERT_TRUE(counters.known());
    const auto first = counters.read();
    const auto second = counters.read();
    EXPECT_GE(second.timeouts, first.timeouts);
    EXPECT_GE(second.repairs, first.repairs);
    EXPECT_GE(second.probes, first.probes);
}

/// Both ends of a TCP connection through the loopback.
class Connection {
  public:
    Connection() {
        const int listening = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* const place = reinterpret_cast<sockaddr*>(&address);
        ::bind(listening, place, size);
        ::listen(listening, 1);
        ::getsockname(listening, place, &size);
        ends[0] = ::socket(AF_INET, SOCK_STREAM, 0);
        ::connect(ends[0], place, size);
        ends[1] = ::accept(listening, nullptr, nullptr);
        ::close(listening);
    }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection() {
        ::close(ends[0]);
        ::close(ends[1]);
    }

    std::array<int, 2> ends{};
};

TEST(SmallestRto, IsThatOfConnectionsThatCarriedData) {
    const auto before = smallest_rto();
    Connection connection;
    EXPECT_EQ(smallest_rto(), before) << "nothing was sent yet";
    char byte = 1;
    ASSERT_EQ(::write(connection.ends[0], &byte, 1), 1);
    ASSERT_EQ(::read(connection.ends[1], &byte, 1), 1);
    const auto rto = smallest_rto();
    ASSERT_TRUE(rto);
    if (const auto least = kernel_least_rto()) {
        EXPECT_GE(*rto, *least);
    }
}

TEST(RunDelay, NeverShrinks) {
    const RunDelay delay;
    const auto before = delay.read();
    EXPECT_GE(before.count, 0);
    std::this_thread::yield();
    EXPECT_GE(delay.read(), before);
}

TEST(RunDelay, GrowsWhileOthersHaveTheProcessor) {
    const RunDelay delay;
    if (!delay.known()) {
        GTEST_SKIP() << "this kernel does not count it";
    }
    const OnOneProcessor confined;
    // Two threads on one processor take turns: while one works, the other waits.
    std::atomic<bool> over = false;
    std::thread other([&] {
        while (!over) {
        }
    });
    const auto before = delay.read();
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (delay.read() <= before && std::chrono::steady_clock::now() < patience) {
    }
    EXPECT_GT(delay.read(), before);
    over = true;
    other.join();
}

}  // namespace
}  // namespace fathom::machine

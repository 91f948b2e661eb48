#include "report/style.hpp"

#include <cstdlib>
#include <fcntl.h>
#include <optional>
#include <sys/ioctl.h>

#include <gtest/gtest.h>

#include "base/file.hpp"

namespace fathom::report {
namespace {

/// An environment variable, set or removed for the length of a test.
class Variable {
  public:
    Variable(const char* name, const char* value) : name_(name) {
        if (const char* before = std::getenv(name)) {
            before_ = before;
        }
        value != nullptr ? ::setenv(name, value, 1) : ::unsetenv(name);
    }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;
    ~Variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }

  private:
    const char* name_;
    std::optional<std::string> before_;
};

/// A pseudo-terminal.
class PseudoTerminal {
  public:
    PseudoTerminal() : master_(::posix_openpt(O_RDWR | O_NOCTTY)) {
        if (master_.is_open() && ::grantpt(master_.get()) == 0 && ::unlockpt(master_.get()) == 0) {
            slave_ = FileDescriptor(::open(::ptsname(master_.get()), O_RDWR | O_NOCTTY));
        }
    }
    [[nodiscard]] int get() const { return slave_.get(); }
    [[nodiscard]] bool works() const { return slave_.is_open(); }
    void set_columns(unsigned short columns) const {
        winsize size{};
        size.ws_col = columns;
        ::ioctl(slave_.get(), TIOCSWINSZ, &size);
    }

  private:
    FileDescriptor master_;
    FileDescriptor slave_;
};

class OnATerminal : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!screen.works()) {
            GTEST_SKIP() << "no pseudo terminals here";
        }
    }

    PseudoTerminal screen;
    Variable kind{"TERM", "xterm"};
    Variable colour{"NO_COLOR", nullptr};
};

TEST_F(OnATerminal, ThereIsColour) {
    const auto terminal = Terminal::of(screen.get());
    EXPECT_TRUE(terminal.interactive);
    EXPECT_TRUE(terminal.colour);
}

TEST_F(OnATerminal, NoColorTakesTheColourAndLeavesTheRest) {
    const Variable no_colour("NO_COLOR", "1");
    const auto terminal = Terminal::of(screen.get());
    EXPECT_TRUE(terminal.interactive);
    EXPECT_FALSE(terminal.colour);
}

TEST_F(OnATerminal, AnEmptyNoColorMeansNothing) {
    const Variable no_colour("NO_COLOR", "");
    EXPECT_TRUE(Terminal::of(screen.get()).colour);
}

TEST_F(OnATerminal, ThatIsDumbNothingMoves) {
    for (const char* dumb : {"dumb", "", static_cast<const char*>(nullptr)}) {
        const Variable term("TERM", dumb);
        EXPECT_FALSE(Terminal::of(screen.get()).interactive);
        EXPECT_FALSE(Terminal::of(screen.get()).colour);
    }
}

TEST_F(OnATerminal, ItsWidthIsKnown) {
    screen.set_columns(123);
    EXPECT_EQ(Terminal::of(screen.get()).columns, 123);
    screen.set_columns(0);
    EXPECT_EQ(Terminal::of(screen.get()).columns, 80) << "where it does not say";
}

TEST(OffATerminal, ThereIsNoColour) {
    const Variable kind("TERM", "xterm");
    const FileDescriptor null(::open("/dev/null", O_WRONLY));
    EXPECT_FALSE(Terminal::of(null.get()).interactive);
    EXPECT_FALSE(Terminal::of(null.get()).colour);
    EXPECT_FALSE(Terminal::of(-1).colour);
}

TEST(Paint, IsLeftOutWithoutColour) {
    EXPECT_EQ(bold("x", Terminal{}), "x");
    EXPECT_EQ(red("x", Terminal{}), "x");
    EXPECT_EQ(yellow("x", Terminal{}), "x");
}

TEST(Paint, IsTheOnlyColour) {
    const Terminal terminal{.interactive = true, .colour = true, .columns = 80};
    EXPECT_EQ(red("a\x1b[0m\nb", terminal), "\x1b[31ma\\x1b[0m\\nb\x1b[0m");
    EXPECT_EQ(red("a\x1b[0m", Terminal{}), "a\\x1b[0m");
    EXPECT_EQ(inked("a\x1b[0m", Ink::plain, terminal), "a\\x1b[0m");
}

TEST(Paint, EndsWithItsText) {
    const Terminal terminal{.interactive = true, .colour = true, .columns = 80};
    EXPECT_EQ(bold("x", terminal), "\x1b[1mx\x1b[0m");
    EXPECT_EQ(red("x", terminal), "\x1b[31mx\x1b[0m");
    EXPECT_EQ(yellow("x", terminal), "\x1b[33mx\x1b[0m");
    EXPECT_EQ(inked("x", Ink::green, terminal), "\x1b[32mx\x1b[0m");
}

}  // namespace
}  // namespace fathom::report

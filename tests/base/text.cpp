#include "base/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_support.hpp"

namespace fathom {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::refusal_of;

const std::vector<std::string> operations{"pingpong", "barrier", "bcast", "allreduce"};

TEST(Nearest, FindsAWordWithALetterMissingTooManyOrWrong) {
    EXPECT_EQ(nearest("allreduc", operations), "allreduce");
    EXPECT_EQ(nearest("allreducee", operations), "allreduce");
    EXPECT_EQ(nearest("alltoduce", operations), "allreduce");
    EXPECT_EQ(nearest("barier", operations), "barrier");
    EXPECT_EQ(nearest("bcost", operations), "bcast");
}

TEST(Nearest, CountsSwappedNeighboursAsOneMistake) {
    // Two replacements would be too many for a word of five letters.
    EXPECT_EQ(nearest("bcsat", operations), "bcast");
    EXPECT_EQ(nearest("ptea", {"peat"}), std::nullopt);
}

TEST(Nearest, FindsAWordItself) {
    EXPECT_EQ(nearest("bcast", operations), "bcast");
}

TEST(Nearest, SuggestsNothingForAnotherWord) {
    EXPECT_EQ(nearest("scan", operations), std::nullopt);
    EXPECT_EQ(nearest("alltoall", operations), std::nullopt);
    EXPECT_EQ(nearest("zzzzzz", operations), std::nullopt);
    EXPECT_EQ(nearest("bcast", {}), std::nullopt);
}

TEST(Nearest, PrefersTheNearerOfTwo) {
    EXPECT_EQ(nearest("abcdef", {"abcxyf", "abcdeg"}), "abcdeg");
}

TEST(Nearest, AllowsAThirdOfTheLettersToBeWrong) {
    EXPECT_EQ(nearest("abcdef", {"abcdxy"}), "abcdxy");
    EXPECT_EQ(nearest("abcdef", {"abcxyz"}), std::nullopt);
}

TEST(DidYouMean, IsAClauseToAppendOrNothing) {
    EXPECT_EQ(did_you_mean("bcsat", operations), " Did you mean 'bcast'?");
    EXPECT_EQ(did_you_mean("scan", operations), "");
}

TEST(Split, TrimsBlanksAndKeepsEmptyParts) {
    EXPECT_THAT(split("a, b ,\tc", ','), ElementsAre("a", "b", "c"));
    EXPECT_THAT(split("a,,b,", ','), ElementsAre("a", "", "b", ""));
    EXPECT_THAT(split("one", ','), ElementsAre("one"));
    EXPECT_THAT(split("", ','), IsEmpty());
}

TEST(Trimmed, RemovesBlanksAtBothEndsOnly) {
    EXPECT_EQ(trimmed(" \t a b\r\n"), "a b");
    EXPECT_EQ(trimmed(" \n"), "");
    EXPECT_EQ(trimmed(""), "");
}

TEST(ShellWords, PartsAtBlanks) {
    EXPECT_THAT(shell_words("  srun  -n\t{n}\n"), ElementsAre("srun", "-n", "{n}"));
    EXPECT_THAT(shell_words(""), IsEmpty());
    EXPECT_THAT(shell_words(" \t "), IsEmpty());
}

TEST(ShellWords, KeepsQuotedBlanksTogether) {
    EXPECT_THAT(shell_words("sh -c 'exec \"$@\"' x"), ElementsAre("sh", "-c", "exec \"$@\"", "x"));
    EXPECT_THAT(shell_words("a\"b c\"d"), ElementsAre("ab cd"));
    EXPECT_THAT(shell_words("'' \"\""), ElementsAre("", ""));
}

TEST(ShellWords, TakesBackslashesAsAShellDoes) {
    EXPECT_THAT(shell_words(R"(a\ b)"), ElementsAre("a b"));
    EXPECT_THAT(shell_words(R"(\'a\")"), ElementsAre("'a\""));
    EXPECT_THAT(shell_words(R"('a\b')"), ElementsAre(R"(a\b)"));
    EXPECT_THAT(shell_words(R"("a\"b\\c")"), ElementsAre(R"(a"b\c)"));
    EXPECT_THAT(shell_words(R"(a\)"), ElementsAre(R"(a\)"));
}

TEST(ShellWords, RefusesAQuoteLeftOpen) {
    EXPECT_EQ(refusal_of([] { shell_words("srun 'abc"); }), "unmatched quote (') in: srun 'abc");
    EXPECT_EQ(refusal_of([] { shell_words("\"abc\\\""); }), "unmatched quote (\") in: \"abc\\\"");
}

TEST(ShellText, LeavesPlainWordsAndQuotesOthers) {
    EXPECT_EQ(shell_text({"mpirun", "-n", "4", "--cfg=a/b:c"}), "mpirun -n 4 --cfg=a/b:c");
    EXPECT_EQ(shell_text({"a b", "", "$HOME", "*"}), "'a b' '' '$HOME' '*'");
    EXPECT_EQ(shell_text({"it's"}), R"('it'\''s')");
    EXPECT_EQ(shell_text({}), "");
}

TEST(ShellText, IsReadBackUnchanged) {
    const std::vector<std::string> words{
        "plain", "",     "two words", "it's", "\"quoted\"", R"(back\slash)", "\\",
        "'",     "''''", "\"",        "\t",   "a\nb",       "$x `y` !z",     "{n}"};
    EXPECT_EQ(shell_words(shell_text(words)), words);
    for (const auto& word : words) {
        EXPECT_THAT(shell_words(shell_text({word})), ElementsAre(word));
    }
}

TEST(AndList, ReadsAsASentence) {
    EXPECT_EQ(and_list({}), "");
    EXPECT_EQ(and_list({"a"}), "a");
    EXPECT_EQ(and_list({"a", "b"}), "a and b");
    EXPECT_EQ(and_list({"a", "b", "c"}), "a, b and c");
}

}  // namespace
}  // namespace fathom

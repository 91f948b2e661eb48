#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <unistd.h>

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/command_line.hpp"
#include "report/output.hpp"
#include "report/paragraph.hpp"
#include "report/table.hpp"

namespace fathom::cli {
namespace {

/// What a reader may want to know that no command explains. Paragraphs are parted by empty lines.
struct Topic {
    std::string_view name;
    std::string_view summary;
    std::string_view text;
};

constexpr auto topics = std::to_array<Topic>({
    {"start", "the first measurement, and what to do with it",
     "'fathom run allreduce -n 4 --sizes 8,1k,64k' measures and stores. 'fathom show last' prints it again, "
     "'fathom report last' writes a page with charts, and 'fathom run --against last' measures again and "
     "compares.\n\n"
     "'fathom doctor' says beforehand what on this machine would disturb measurements. Without a cluster, "
     "--platform simulates one: 'fathom list platforms'."},
    {"sizes", "how message sizes and process counts are written",
     "Sizes are bytes: 8, 64k, 1M (powers of 1024). A list is 8,64k,1M; a range 8:64k doubles; 0:1000:+100 "
     "adds, 1:1M:*1.41 multiplies; 1:1M:auto is refined where the curve bends.\n\n"
     "Process counts have the same forms: -n 2,4,8 or -n 2:64. One job has the largest count; smaller ones "
     "are its first processes."},
    {"results", "what the numbers of a table are",
     "A time is that of the slowest process (--over-ranks) from a common start, the median over repetitions "
     "(--over-reps). The 95 % interval holds the median that another job on this machine would find: it is "
     "over launches (--runs). ~ marks an unreliable value; a note says why.\n\n"
     "reps counts repetitions, skew is how far apart processes started, rate is what the message size and "
     "the time give. 'fathom show --wide' shows all columns, --json and 'fathom export --csv' everything."},
    {"notes", "what notes below a table mean, and what to do",
     "Notes are in the order of what they cost the reader: failures, doubts about the numbers, findings, "
     "limits. Each ends with what helps, where something does. 'fathom show RUN --notes' prints all, "
     "'fathom show RUN --explain' says why single repetitions were slow."},
    {"comparing", "whether something became slower",
     "'fathom compare A B' compares two stored runs point by point. Runs at different times differ more "
     "than their intervals say, so 'fathom run --against A' measures both in turn, which decides more. "
     "--fail-above 10% makes either a gate: exit status 1 if a point is slower by more."},
    {"simulation", "measuring on a machine that is not there",
     "--platform smp-32x2 runs the same probe in SimGrid's simulator: every process is simulated, times are "
     "those of the platform's network, and they are exact. A file NAME.xml describes one's own machine."},
    {"files", "where results are",
     "Runs are in fathom.db of the current folder (--db): one SQLite file, complete after every point, "
     "readable by any version that knows its schema. While a job runs, its journal lies beside it; an "
     "interrupted run goes on with 'fathom run --resume RUN'."},
    {"exit", "exit status",
     "0: done. 1: done, but what was checked does not hold: points failed, a point is slower than "
     "--fail-above allows, a verdict says no. 2: the command or its input cannot be used; the message names "
     "the place and the fix. 3: it could not be measured. 4: what was to be checked is undecided. 130: "
     "interrupted; what was measured is stored."},
});

std::string topics_text() {
    report::Table table(
        {{"fathom help", report::Table::Align::left}, {"", report::Table::Align::left, 0, true}});
    for (const auto& topic : topics) {
        table.add({std::string(topic.name), std::string(topic.summary)});
    }
    return fmt::format(
        "{}\n'fathom help run' shows the options of a command, 'fathom --help' all commands.\n",
        table.text(report::Terminal::of(STDOUT_FILENO)));
}

void help(const std::string& name) {
    if (name.empty()) {
        report::print("{}", topics_text());
        return;
    }
    const auto topic = std::ranges::find(topics, name, &Topic::name);
    if (topic == topics.end()) {
        std::vector<std::string> names;
        for (const auto& one : topics) {
            names.emplace_back(one.name);
        }
        throw BadInput(fmt::format("no command and no topic '{}'.{} 'fathom help' shows all.", name,
                                   did_you_mean(name, names)));
    }
    std::string text;
    for (std::string_view rest = topic->text; !rest.empty();) {
        const auto end = std::min(rest.find("\n\n"), rest.size());
        text += (text.empty() ? "" : "\n") + report::paragraph(rest.substr(0, end));
        rest.remove_prefix(std::min(rest.size(), end + 2));
    }
    report::print("{}", text);
}

}  // namespace

void add_help(const Command& program, Invocation& /*invocation*/) {
    const auto name = std::make_shared<std::string>();
    const auto command = program.subcommand("help", "Explain a command or a topic", "fathom help results",
                                            [name] { help(*name); });
    (void)command.option("topic", *name, "a command, or what 'fathom help' shows").value_name("TOPIC");
}

}  // namespace fathom::cli

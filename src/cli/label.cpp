#include <memory>

#include <fmt/format.h>

#include "base/printable.hpp"
#include "cli/command_line.hpp"
#include "journal/json.hpp"
#include "launch/lease.hpp"
#include "plan/setting_values.hpp"
#include "report/json.hpp"
#include "report/output.hpp"
#include "store/store.hpp"

namespace fathom::cli {
namespace {

struct LabelOptions {
    std::string run;
    std::string text;
    std::string db;
    bool json = false;
};

std::string checked_label(const std::string& text) {
    try {
        return plan::label_text(text);
    } catch (const BadInput& fix) {
        throw BadInput(fmt::format("the label is \"{}\"; {}.", text, fix.what()));
    }
}

void label(const LabelOptions& options) {
    const auto text = checked_label(options.text);
    auto store = store::Store::open_to_change(options.db);
    const auto run = store.find_run(options.run);
    launch::refuse_in_progress(store, run.id);
    store.set_label(run.id, text);
    if (options.json) {
        report::print("{}", report::document({{"schema", "fathom.label/1"},
                                              {"run", run.id},
                                              {"label", text},
                                              {"previous_label", run.label}}));
    } else if (text.empty()) {
        report::print("Run {} has no label now.\n", run.id);
    } else {
        report::print("Run {} is labelled '{}'.\n", run.id, printable_name(text));
    }
}

}  // namespace

void add_label(const Command& program, Invocation& /*invocation*/) {
    const auto options = std::make_shared<LabelOptions>();
    const auto command = program.subcommand("label", "Label a stored run", "fathom label 7 baseline",
                                            [options] { label(*options); });
    command.option("run", options->run, "number, label or 'last'").value_name("RUN").required();
    command.option("text", options->text, "its new label; '' removes the label")
        .value_name("TEXT")
        .required();
    command.db_option(options->db);
    command.flag("--json", options->json, "one JSON document on stdout");
}

}  // namespace fathom::cli

// For tests: a library's files with one rule, so that what the library does with them can be seen.
//   LAUNCHER -n 1 fathom-probe-FLAVOUR --algorithms | write_rules FLAVOUR PREFIX OPERATION PROCS FIRST LAST
//   WAY
// WAY is `library:NAME`. Prints the variables, NAME=VALUE each.
#include <iostream>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include "base/file.hpp"
#include "journal/library_offers.hpp"
#include "tune/files/library_files.hpp"

int main(int argc, char** argv) {
    using namespace fathom;
    enum { program, flavour_text, prefix, operation, procs, first, last, way, words };
    if (argc != words) {
        return 2;
    }
    const auto library =
        journal::offers_from(std::string(std::istreambuf_iterator<char>(std::cin), {})).value();
    const auto flavour = from_text<plan::Flavour>(argv[flavour_text]).value();
    const tune::LibraryFiles files(flavour, library, read_file_or_empty(library.file));
    if (!files.has(argv[operation], argv[way])) {
        fmt::print(stderr, "no file has {} for {}\n", argv[way], argv[operation]);
        return 1;
    }
    const Bytes from{std::stoll(argv[first])};
    const Bytes to{std::stoll(argv[last])};
    tune::Tuning tuning{.library = library.version, .flavour = flavour, .metric = "median"};
    tuning.operations = {{.operation = argv[operation],
                          .procs = std::stoi(argv[procs]),
                          .ways = {"library", argv[way]},
                          .race = {},
                          .proposals = {{.way = 1,
                                         .first = from,
                                         .last = to,
                                         .sizes = {{.size = from, .first = {}, .best = {}},
                                                   {.size = to, .first = {}, .best = {}}}}}}};
    files.put(tuning, argv[prefix]);
    for (const auto& file : tuning.files) {
        write_file(file.path, file.text);
    }
    for (const auto& [name, value] : tuning.variables) {
        fmt::print("{}={}\n", name, value);
    }
    return 0;
}

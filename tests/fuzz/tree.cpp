// A tree file.
#include "fuzz/fuzzing.hpp"
#include "tree/drawing.hpp"
#include "tree/file.hpp"
#include "tree/walk.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace fathom;
    constexpr int few = 1'000;  // nodes; drawing more is a matter of time alone
    const auto text = fuzzing::text_of(data, size);
    fuzzing::refused_or_done([&] {
        const auto tree = tree::read_tree(text, "input.toml");
        if (tree::read_tree(tree::write_tree(tree), "again.toml") != tree) {
            fuzzing::finding("a tree that is not read back as it was written");
        }
        if (tree::node_count(tree) <= few) {
            tree::text_drawing(tree, tree.hosts, 80);
            tree::svg_drawing(tree, tree.hosts);
        }
    });
    fuzzing::refused_or_done([&] {
        tree::read_tree(text, "input.toml", {.procs = 4, .hosts = {"a", "a", "b", "b"}});
    });
    return 0;
}

// A tuning for `fathom tune report`.
#include "fuzz/fuzzing.hpp"
#include "report/page/page.hpp"
#include "report/page/tuning_page.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace fathom;
    const auto text = fuzzing::text_of(data, size);
    fuzzing::refused_or_done([&] {
        auto page = report::tuning_page_data({report::check_tuning_document(text, "t.json")});
        report::pack(page);
        if (report::embedded_json(page).find_first_of("<>&") != std::string::npos) {
            fuzzing::finding("a page in which data are markup");
        }
    });
    return 0;
}

#include "launch/scratch_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>

#include <fmt/format.h>

#include "base/error.hpp"

namespace fathom::launch {

ScratchFolder::ScratchFolder() {
    std::string name = "/tmp/fathom-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) {
        throw NotMeasured(fmt::format("cannot create a folder in /tmp: {}", std::strerror(errno)));
    }
    path_ = name;
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace fathom::launch

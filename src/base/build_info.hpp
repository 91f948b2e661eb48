#pragma once

namespace fathom {

/// How this program was built; stored with every run.
struct BuildInfo {
    const char* version;
    const char* commit;
    const char* compiler;
    const char* flags;
    const char* build_type;
};

/// The facts that the build system wrote down.
const BuildInfo& build_info();

}  // namespace fathom

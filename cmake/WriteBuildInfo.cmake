# Run at every build: writes build_info.cpp anew if the commit (or anything else in it) has changed.
execute_process(COMMAND git -C ${SOURCE_DIR} describe --always --dirty --abbrev=12 --exclude=*
                OUTPUT_VARIABLE FATHOM_COMMIT ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT FATHOM_COMMIT)
  set(FATHOM_COMMIT "unknown")
endif()
configure_file(${SOURCE_DIR}/src/base/build_info.cpp.in ${OUTPUT} @ONLY)

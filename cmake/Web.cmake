# The report page: web/ is bundled by esbuild into one script and written as FATHOM_PAGE_BUNDLE, a C++ file that the
# program embeds. Packages are fetched into the build folder with npm, again only when their list has changed. Where that
# cannot be done, the program is built all the same, and `fathom report` says why it has no page.
set(FATHOM_PAGE_BUNDLE ${CMAKE_BINARY_DIR}/page_bundle.cpp)
set(FATHOM_WEB_DIR ${CMAKE_BINARY_DIR}/web)
set(no_page ${CMAKE_BINARY_DIR}/no_page.cpp)
find_program(FATHOM_NODE node)
find_program(FATHOM_NPM npm)

set(node_version 0)
if(FATHOM_NODE)
  execute_process(COMMAND ${FATHOM_NODE} --version OUTPUT_VARIABLE node_version ERROR_QUIET)
  string(REGEX REPLACE "[v\n]" "" node_version "${node_version}")
endif()

set(missing)
if(FATHOM_WEB STREQUAL "OFF")
  set(missing "it was built with FATHOM_WEB=OFF; build it again without that")
elseif(NOT FATHOM_NODE OR NOT FATHOM_NPM)
  set(missing "npm was not there; install nodejs and npm and build it again")
elseif(node_version VERSION_LESS 18)
  set(missing "node 18 or later is needed; install it and build it again")
endif()
if(missing)
  if(FATHOM_WEB STREQUAL "ON")
    message(FATAL_ERROR "FATHOM_WEB is ON, but ${missing}")
  endif()
  set(FATHOM_WEB_NOTE "report page: left out, ${missing}")
  set(FATHOM_PAGE_BUNDLE ${no_page})
  set(FATHOM_PAGE_MISSING "${missing}")
  configure_file(${CMAKE_SOURCE_DIR}/cmake/no_page.cpp.in ${no_page} @ONLY)
  return()
endif()
set(FATHOM_WEB_NOTE "report page: with ${FATHOM_NODE}")

# One that was left out because the packages could not be fetched is tried again after each configuration.
if(EXISTS ${FATHOM_PAGE_BUNDLE})
  file(STRINGS ${FATHOM_PAGE_BUNDLE} left_out REGEX "page-left-out")
  if(left_out)
    file(REMOVE ${FATHOM_PAGE_BUNDLE})
  endif()
endif()
file(GLOB_RECURSE web_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/web/src/*.ts ${CMAKE_SOURCE_DIR}/web/src/*.css)
add_custom_command(OUTPUT ${FATHOM_PAGE_BUNDLE}
    COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${CMAKE_SOURCE_DIR} -DWORK_DIR=${FATHOM_WEB_DIR} -DOUTPUT=${FATHOM_PAGE_BUNDLE}
            -DNODE=${FATHOM_NODE} -DNPM=${FATHOM_NPM} -DWITH_TESTS=${FATHOM_TESTS} -DREQUIRED=${FATHOM_WEB}
            -P ${CMAKE_SOURCE_DIR}/cmake/BuildPage.cmake
    DEPENDS ${web_sources} ${CMAKE_SOURCE_DIR}/web/package.json ${CMAKE_SOURCE_DIR}/web/package-lock.json
            ${CMAKE_SOURCE_DIR}/web/bundle.mjs ${CMAKE_SOURCE_DIR}/cmake/BuildPage.cmake
            ${CMAKE_SOURCE_DIR}/cmake/FetchPackages.cmake ${CMAKE_SOURCE_DIR}/cmake/no_page.cpp.in
    COMMENT "Bundling the report page" VERBATIM)

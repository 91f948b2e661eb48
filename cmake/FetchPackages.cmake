# Fetches the npm packages of web/ into WORK_DIR, again only when their list has changed; without a network, packages
# that are already there will do. Sets packages_missing when it cannot. Included by BuildPage.cmake, and run by
# `./quickstart lint`: cmake -DSOURCE_DIR=... -DWORK_DIR=... -DNPM=npm -DWITH_TESTS=ON -P FetchPackages.cmake
file(MAKE_DIRECTORY ${WORK_DIR})
file(SHA256 ${SOURCE_DIR}/web/package-lock.json list)
set(all "${list} with development packages")
set(wanted "${list}")
# TypeScript, prettier and playwright-core are for tests and lint alone.
set(which --omit=dev)
if(WITH_TESTS)
  set(wanted "${all}")
  set(which)
endif()
set(stamp ${WORK_DIR}/fetched)
set(fetched)
if(EXISTS ${stamp} AND EXISTS ${WORK_DIR}/node_modules/esbuild)
  file(READ ${stamp} fetched)
endif()
set(packages_missing FALSE)
if(NOT fetched STREQUAL wanted AND NOT fetched STREQUAL all)
  file(REMOVE ${stamp}) # a fetch that is cut short has none
  file(COPY ${SOURCE_DIR}/web/package.json ${SOURCE_DIR}/web/package-lock.json DESTINATION ${WORK_DIR})
  execute_process(COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund ${which} WORKING_DIRECTORY ${WORK_DIR}
                  RESULT_VARIABLE status OUTPUT_VARIABLE log ERROR_VARIABLE log)
  if(status EQUAL 0)
    file(WRITE ${stamp} "${wanted}")
  else()
    file(WRITE ${WORK_DIR}/npm.log "${log}")
    set(packages_missing TRUE)
  endif()
endif()
if(packages_missing AND CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  message(FATAL_ERROR "npm could not fetch the packages of web/ (no network?); see ${WORK_DIR}/npm.log")
endif()

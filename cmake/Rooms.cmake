# fathom_room(NAME [QUICK] [LINK libraries...]): the folder src/NAME as a static library fathom_NAME, from all its
# sources. QUICK is for rooms that no measurement and no long computation waits for: see fathom_compile_quickly.
function(fathom_room name)
  cmake_parse_arguments(ARG "QUICK" "" "LINK;EXTRA" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cpp)
  add_library(fathom_${name} STATIC ${sources} ${ARG_EXTRA})
  target_include_directories(fathom_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(fathom_${name} PUBLIC ${ARG_LINK})
  if(ARG_QUICK)
    fathom_compile_quickly(fathom_${name})
  endif()
endfunction()

# Less optimisation for code whose own speed nobody waits for: it compiles in two thirds of the time.
function(fathom_compile_quickly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

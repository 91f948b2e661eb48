# fathom_room(NAME [QUICK] [FOLDER folder] [EXCEPT folder] [LINK libraries...]): the folder src/NAME, or another one, as
# a static library fathom_NAME, from all its sources but those of a folder within it. QUICK is for rooms that no
# measurement and no long computation waits for: see fathom_compile_quickly.
function(fathom_room name)
  cmake_parse_arguments(ARG "QUICK" "FOLDER;EXCEPT" "LINK;EXTRA" ${ARGN})
  set(folder ${CMAKE_SOURCE_DIR}/src/${name})
  if(ARG_FOLDER)
    set(folder ${CMAKE_SOURCE_DIR}/src/${ARG_FOLDER})
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  if(ARG_EXCEPT)
    list(FILTER sources EXCLUDE REGEX "/src/${name}/${ARG_EXCEPT}/")
  endif()
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

# For tests that mostly wait for what they test: they compile in two thirds of the time again, under sanitizers in a third.
function(fathom_compile_without_optimisation target)
  target_compile_options(${target} PRIVATE -O0)
endfunction()

# Settings for compiling this project's own files: warnings, sanitizers, compiler cache, linker.

option(TRANSLATE_WARNINGS_AS_ERRORS "Treat the compiler's warnings as errors (on in the presets)" OFF)
set(TRANSLATE_SANITIZE "" CACHE STRING
  "Sanitizers to build with: address (with undefined behaviour) or thread (the presets asan and tsan); empty: none")
set_property(CACHE TRANSLATE_SANITIZE PROPERTY STRINGS "" address thread)
option(TRANSLATE_PORTABLE "Do without what only Linux has (engine/core/system), as on other systems (on in the preset engine-portable)" OFF)
if(TRANSLATE_PORTABLE)
  add_compile_definitions(TRANSLATE_PORTABLE)
endif()
option(TRANSLATE_FUZZ "Build the fuzz targets of tests/fuzz; needs Clang (on in the preset fuzz)" OFF)
option(TRANSLATE_USE_CCACHE "Compile through ccache where it is installed" ON)

# Every target of this project links this one. The headers of LibTorch and the system are SYSTEM, so that these settings
# do not affect them.
add_library(translate_flags INTERFACE)
target_compile_features(translate_flags INTERFACE cxx_std_20)
target_compile_options(translate_flags INTERFACE -Wall -Wextra -Wshadow -Wconversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 wrongly reports copies that overlap or go too far in `"text" + std::string` (GCC bug 105651).
  target_compile_options(translate_flags INTERFACE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # GCC's -Wconversion does not include it in C++.
  target_compile_options(translate_flags INTERFACE -Wno-sign-conversion)
endif()
if(TRANSLATE_WARNINGS_AS_ERRORS)
  target_compile_options(translate_flags INTERFACE -Werror)
endif()

# All files can become parts of a shared library. A function of a library calls its own functions directly, whatever
# else the process defines, so that the compiler may inline them as it does in a program.
target_compile_options(translate_flags INTERFACE -fPIC -fno-semantic-interposition -fvisibility-inlines-hidden)

if(TRANSLATE_SANITIZE)
  # With the sanitizers, GCC wrongly reports optional values as uninitialized.
  target_compile_options(translate_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endif()
if(TRANSLATE_SANITIZE STREQUAL "address")
  # vptr would need the type information of LibTorch's classes, which is not sanitized itself.
  target_compile_options(translate_flags INTERFACE
    -fsanitize=address,undefined -fno-sanitize=vptr -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(translate_flags INTERFACE -fsanitize=address,undefined)
elseif(TRANSLATE_SANITIZE STREQUAL "thread")
  # It does not know fences, as GCC warns of each; those of Boost.Asio stand beside atomic variables, which it knows.
  target_compile_options(translate_flags INTERFACE
    -fsanitize=thread -fno-omit-frame-pointer $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
  target_link_options(translate_flags INTERFACE -fsanitize=thread)
elseif(TRANSLATE_SANITIZE)
  message(FATAL_ERROR "TRANSLATE_SANITIZE is ${TRANSLATE_SANITIZE}; expected address, thread or nothing.")
endif()

if(TRANSLATE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "TRANSLATE_FUZZ needs Clang, which has libFuzzer: configure with the preset fuzz.")
  endif()
  # The edges that a run takes are counted for libFuzzer. The assertions of libstdc++ detect wrong indices of vectors
  # and texts, of which the address sanitizer sees only those that leave the allocated memory.
  target_compile_options(translate_flags INTERFACE -fsanitize=fuzzer-no-link)
  target_compile_definitions(translate_flags INTERFACE _GLIBCXX_ASSERTIONS)
endif()

# A program loads only the libraries that it uses: programs without tensors start in milliseconds.
target_link_options(translate_flags INTERFACE -Wl,--as-needed)
if(NOT DEFINED TRANSLATE_LINKER)
  set(quick_linker "")
  foreach(linker IN ITEMS lld mold)
    find_program(found_linker "ld.${linker}" NO_CACHE)
    if(found_linker)
      set(quick_linker ${linker})
    endif()
    unset(found_linker)
  endforeach()
  set(TRANSLATE_LINKER "${quick_linker}" CACHE STRING "Linker for -fuse-ld (empty: the compiler's own)")
endif()
if(TRANSLATE_LINKER)
  target_link_options(translate_flags INTERFACE "-fuse-ld=${TRANSLATE_LINKER}")
endif()

if(TRANSLATE_USE_CCACHE)
  find_program(TRANSLATE_CCACHE ccache)
  if(TRANSLATE_CCACHE)
    # ccache requires this sloppiness to cache files compiled with a precompiled header. With the base folder, another
    # clone of this project finds the files that this one compiled.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      "CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime"
      "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1 "${TRANSLATE_CCACHE}")
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(translate_flags INTERFACE -fpch-preprocess)
    endif()
  endif()
endif()

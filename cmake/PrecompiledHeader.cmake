# One precompiled header for the files that see LibTorch: it takes each of them from 15 seconds to 4.
# It holds what most of them include; the whole <torch/torch.h> would cost every file 4 seconds more.
# Files without tensors are quicker without it, and so include what they use.

option(TRANSLATE_PRECOMPILED_HEADER "Compile LibTorch's headers once, ahead of the files that use them" ON)

# Sets `result` to whether `file` includes LibTorch's headers, itself or through headers of this project.
function(translate_sees_libtorch file result)
  get_property(sees GLOBAL PROPERTY "translate_sees_libtorch ${file}")
  if("${sees}" STREQUAL "" AND EXISTS "${file}")
    set(sees OFF)
    set_property(GLOBAL PROPERTY "translate_sees_libtorch ${file}" OFF)
    get_filename_component(folder "${file}" DIRECTORY)
    file(STRINGS "${file}" includes REGEX "^#include ")
    foreach(include IN LISTS includes)
      if(include MATCHES "<(torch|ATen)/" AND NOT include MATCHES "<torch/version.h>")
        set(sees ON)
      elseif(include MATCHES "\"(.*)\"")
        foreach(root IN ITEMS "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/tests" "${folder}")
          if(NOT sees)
            translate_sees_libtorch("${root}/${CMAKE_MATCH_1}" sees)
          endif()
        endforeach()
      endif()
    endforeach()
    set_property(GLOBAL PROPERTY "translate_sees_libtorch ${file}" ${sees})
  endif()
  set(${result} "${sees}" PARENT_SCOPE)
endfunction()

# Parts sources into those that do not see LibTorch and those that do.
function(translate_split_sources without with)
  set(without_sources "")
  set(with_sources "")
  foreach(source IN LISTS ARGN)
    translate_sees_libtorch("${source}" sees)
    if(sees)
      list(APPEND with_sources "${source}")
    else()
      list(APPEND without_sources "${source}")
    endif()
  endforeach()
  set(${without} "${without_sources}" PARENT_SCOPE)
  set(${with} "${with_sources}" PARENT_SCOPE)
endfunction()

# Excludes those sources of `target` that do not see LibTorch. An edit that changes this is noticed when CMake runs
# next; until then only the time differs.
function(translate_skip_precompiled_header target)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_filename_component(file "${source}" ABSOLUTE)
    translate_sees_libtorch("${file}" sees)
    if(NOT sees)
      set_source_files_properties("${source}" PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
endfunction()

# Makes the header while `target` is built.
function(translate_make_precompiled_header target)
  if(TRANSLATE_PRECOMPILED_HEADER)
    target_precompile_headers(${target} PRIVATE
      <ATen/ATen.h> <torch/nn/module.h> <torch/nn/pimpl.h> <fmt/format.h> <nlohmann/json.hpp>
      <algorithm> <cmath> <cstdint> <filesystem> <fstream> <functional> <map> <memory> <optional> <string>
      <string_view> <utility> <vector>)
    translate_skip_precompiled_header(${target})
  endif()
endfunction()

# Uses the header made for translate_core; the flags of `target` must be the same.
function(translate_use_precompiled_header target)
  if(TRANSLATE_PRECOMPILED_HEADER)
    target_precompile_headers(${target} REUSE_FROM translate_core)
    translate_skip_precompiled_header(${target})
  endif()
endfunction()

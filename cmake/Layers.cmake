# The layers of the library: each is a static library, and its link line says which others it may use.
#
# A layer is compiled with the headers of the layers that it links, directly or through others, and with no others: a
# file that includes another header does not compile. Layers without `translate::libtorch` on their line cannot include
# LibTorch's operators either, so programs that link only such layers start without loading the operators.

# translate_add_layer(NAME FOLDERS folder-under-src... LINKS target... [TENSORS])
# TENSORS: the files can include LibTorch's operators and use the precompiled header.
function(translate_add_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TENSORS" "" "FOLDERS;LINKS")
  set(target "translate_${name}")
  set(root "${PROJECT_BINARY_DIR}/layers/${name}")
  set(sources "")
  foreach(folder IN LISTS arg_FOLDERS)
    file(GLOB headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${folder}/*.h")
    file(GLOB found CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${folder}/*.cpp")
    list(FILTER found EXCLUDE REGEX "/(translate_[^/]*|make_manual)\\.cpp$")  # the programs' main files
    list(APPEND sources ${found})
    translate_link_headers("${root}/${folder}" ${headers})
  endforeach()
  add_library(${target} STATIC ${sources})
  target_include_directories(${target} PUBLIC "${root}")
  target_link_libraries(${target} PUBLIC ${arg_LINKS})
  if(arg_TENSORS)
    translate_precompile(${target})
  endif()
endfunction()

# Fills `folder` with links to `headers` and removes all other headers from it.
function(translate_link_headers folder)
  file(MAKE_DIRECTORY "${folder}")
  file(GLOB old RELATIVE "${folder}" "${folder}/*.h")
  foreach(header IN LISTS ARGN)
    get_filename_component(name "${header}" NAME)
    list(REMOVE_ITEM old "${name}")
    if(NOT EXISTS "${folder}/${name}")
      file(CREATE_LINK "${header}" "${folder}/${name}" SYMBOLIC)
    endif()
  endforeach()
  foreach(name IN LISTS old)
    file(REMOVE "${folder}/${name}")
  endforeach()
endfunction()

# One precompiled header for the files that include LibTorch's operators: it reduces the time for each from 15 seconds
# to 4. It contains the headers that most of them include; the whole <torch/torch.h> would cost every file 4 seconds
# more.
option(TRANSLATE_PRECOMPILED_HEADER "Compile LibTorch's headers once, ahead of the files that use them" ON)

# Compiles the files of `target` with that header. The first target that calls this builds the header with the flags
# that all others have, too.
function(translate_precompile target)
  if(NOT TRANSLATE_PRECOMPILED_HEADER)
    return()
  endif()
  get_property(maker GLOBAL PROPERTY TRANSLATE_PRECOMPILED_BY)
  if(maker)
    target_precompile_headers(${target} REUSE_FROM ${maker})
  else()
    set_property(GLOBAL PROPERTY TRANSLATE_PRECOMPILED_BY ${target})
    target_precompile_headers(${target} PRIVATE
      <ATen/ATen.h> <torch/nn/module.h> <torch/nn/pimpl.h> <fmt/format.h> <nlohmann/json.hpp>
      <algorithm> <cmath> <cstdint> <filesystem> <fstream> <functional> <map> <memory> <optional> <string>
      <string_view> <utility> <vector>)
  endif()
endfunction()

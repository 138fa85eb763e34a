# The layers of the libraries: the link line of each says which others it may use.
#
# A layer is compiled with the headers of the layers that it links, directly or through others, and with no others: a
# file that includes another header does not compile. Layers without `translate::libtorch` on their line cannot include
# LibTorch's operators either, so libtranslate, which consists of such layers, starts without loading the operators.

# A whole build then takes half the time, because headers are read once for several files; one changed file takes longer.
# The files of a layer, or of a test program, share their unnamed namespace: a helper that two of them need is in a
# header, others have names of their own.
option(TRANSLATE_UNITY_BUILD "Compile several files at a time (on in the presets release and asan)" OFF)

# translate_add_layer(NAME FOLDERS folder-under-src... LINKS target... [TENSORS] [SEPARATE])
# Defines translate_NAME, which others link for its headers, and translate_NAME_objects, its compiled files.
# TENSORS: the files can include LibTorch's operators and use the precompiled header.
# SEPARATE: the files are compiled one by one with TRANSLATE_UNITY_BUILD, too.
function(translate_add_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TENSORS;SEPARATE" "" "FOLDERS;LINKS")
  set(target "translate_${name}")
  set(root "${PROJECT_BINARY_DIR}/layers/${name}")
  set(sources "")
  foreach(folder IN LISTS arg_FOLDERS)
    file(GLOB headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${folder}/*.h")
    file(GLOB found CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${folder}/*.cpp")
    list(FILTER found EXCLUDE REGEX "/translate_(data|train|eval|explain|export|import|infer|serve)\\.cpp$")  # the main files
    list(APPEND sources ${found})
    string(REGEX REPLACE "^(engine|trainer|tools)/" "" name "${folder}")  # "engine/core": included as "core/error.h"
    translate_link_headers("${root}/${name}" ${headers})
  endforeach()
  add_library(${target} INTERFACE)
  target_include_directories(${target} INTERFACE "${root}")
  target_link_libraries(${target} INTERFACE ${arg_LINKS})
  add_library(${target}_objects OBJECT ${sources})
  target_link_libraries(${target}_objects PRIVATE ${target})
  if(NOT arg_SEPARATE)
    translate_compile_together(${target}_objects 6)
  endif()
  if(arg_TENSORS)
    translate_precompile(${target}_objects)
  endif()
endfunction()

# translate_compile_together(target number): with TRANSLATE_UNITY_BUILD, compiles the files of `target` in groups of so many.
function(translate_compile_together target number)
  if(TRANSLATE_UNITY_BUILD)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${number})
    # A class of a source file may have members of its unnamed namespace; GCC only knows the group's file as a source file.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# translate_add_archive(NAME LAYERS layer... [LINKS target...])
# Defines the static library NAME with the files of the layers.
function(translate_add_archive name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LAYERS;LINKS")
  list(TRANSFORM arg_LAYERS REPLACE "(.+)" "$<TARGET_OBJECTS:translate_\\1_objects>" OUTPUT_VARIABLE objects)
  list(TRANSFORM arg_LAYERS PREPEND translate_)
  add_library(${name} STATIC ${objects})
  target_link_libraries(${name} PUBLIC ${arg_LAYERS} ${arg_LINKS})
endfunction()

# translate_add_library(NAME EXPORTS file LAYERS layer... [LINKS target...])
# Defines the shared library libNAME with the files of the layers. It exports only the symbols that the version script
# `file` lists; see include/translate for those that are meant for others.
function(translate_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "EXPORTS" "LAYERS;LINKS")
  set(exports "${CMAKE_CURRENT_SOURCE_DIR}/${arg_EXPORTS}")
  translate_add_shared(${name} ${arg_LAYERS})
  target_link_libraries(${name} PRIVATE ${arg_LINKS})
  target_link_options(${name} PRIVATE "LINKER:--version-script=${exports}")
  set_target_properties(${name} PROPERTIES LINK_DEPENDS "${exports}")
endfunction()

# translate_add_plugin(NAME LAYERS layer... LINKS archive...)
# Defines the shared library libNAME with the files of the layers, and what they need of the archives. It exports only
# the functions that the layers declare with the visibility "default".
function(translate_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LAYERS;LINKS")
  translate_add_shared(${name} ${arg_LAYERS})
  target_link_libraries(${name} PRIVATE ${arg_LINKS})
  target_link_options(${name} PRIVATE LINKER:--exclude-libs,ALL)
  list(TRANSFORM arg_LAYERS REPLACE "(.+)" "translate_\\1_objects")
  set_target_properties(${arg_LAYERS} PROPERTIES CXX_VISIBILITY_PRESET hidden)
endfunction()

# Defines the shared library libNAME with the files of the layers after its name.
function(translate_add_shared name)
  set(layers ${ARGN})
  list(TRANSFORM layers REPLACE "(.+)" "$<TARGET_OBJECTS:translate_\\1_objects>" OUTPUT_VARIABLE objects)
  list(TRANSFORM layers PREPEND translate_)
  add_library(${name} SHARED ${objects})
  target_link_libraries(${name} PRIVATE ${layers})
  # A library calls its own functions and not those of the same name in the program that loads it (-Bsymbolic).
  target_link_options(${name} PRIVATE LINKER:-Bsymbolic)
  if(NOT TRANSLATE_SANITIZE)
    target_link_options(${name} PRIVATE LINKER:--no-undefined)
  endif()
  set_target_properties(${name} PROPERTIES
    VERSION "${PROJECT_VERSION}" SOVERSION "${PROJECT_VERSION_MAJOR}"
    LINKER_LANGUAGE CXX
    BUILD_RPATH "\$ORIGIN;${TRANSLATE_LIBTORCH_RPATH}"
    INSTALL_RPATH "\$ORIGIN;\$ORIGIN/${PROJECT_NAME}")
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

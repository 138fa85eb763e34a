# libtranslate_nccl: the plugin that connects the GPUs of several processes, by NCCL. It is built where the headers of
# NCCL and CUDA are: beside LibTorch, where scripts/setup --cuda installs them, or in the system's folders. The programs
# load it when several processes train on GPUs (src/trainer/processes/collectives/nccl_library.h); without it, all else works.

# Sets `version` and `major` to the NCCL ("2.28.9") and to CUDA's major version ("13") that the wheel of LibTorch
# requires, or to "". The plugin shares classes with LibTorch whose layout depends on NCCL's version.
function(translate_required_nccl version major)
  file(GLOB metadata "${TRANSLATE_LIBTORCH_DIR}/../torch-*.dist-info/METADATA")
  set(lines "")
  if(metadata)
    list(GET metadata 0 metadata)
    file(STRINGS "${metadata}" lines REGEX "^Requires-Dist: nvidia-nccl-cu[0-9]+==")
  endif()
  string(REGEX MATCH "nvidia-nccl-cu([0-9]+)==([0-9.]+)" found "${lines}")
  set(${major} "${CMAKE_MATCH_1}" PARENT_SCOPE)
  set(${version} "${CMAKE_MATCH_2}" PARENT_SCOPE)
endfunction()

# Sets `version` and `major` to the version of nccl.h and to CUDA's major version in cuda.h.
function(translate_nccl_of nccl_folder cuda_folder version major)
  set(numbers "")
  foreach(part IN ITEMS MAJOR MINOR PATCH)
    file(STRINGS "${nccl_folder}/nccl.h" line REGEX "^#define NCCL_${part} +[0-9]+")
    string(REGEX MATCH "[0-9]+" number "${line}")
    list(APPEND numbers "${number}")
  endforeach()
  list(JOIN numbers "." numbers)
  file(STRINGS "${cuda_folder}/cuda.h" line REGEX "^#define CUDA_VERSION +[0-9]+")
  string(REGEX MATCH "[0-9]+" cuda "${line}")
  math(EXPR cuda "0${cuda} / 1000")
  set(${version} "${numbers}" PARENT_SCOPE)
  set(${major} "${cuda}" PARENT_SCOPE)
endfunction()

# Sets `folders` to the folders of the headers, or to "" and `reason` to the reason why the plugin cannot be built.
function(translate_find_nccl folders reason)
  get_filename_component(packages "${TRANSLATE_LIBTORCH_DIR}" DIRECTORY)
  # The pattern is tried at each build, so that the headers are found when they come.
  file(GLOB beside CONFIGURE_DEPENDS
    "${packages}/nvidia/nccl/include/nccl.h" "${packages}/nvidia/cu*/include/nv/target")
  file(GLOB cuda_beside "${packages}/nvidia/cu*/include")
  set(system /usr/local/cuda/include /usr/include)
  find_path(nccl_folder nccl.h PATHS "${packages}/nvidia/nccl/include" ${system} NO_DEFAULT_PATH NO_CACHE)
  find_path(cuda_folder NAMES cusolverDn.h PATHS ${cuda_beside} ${system} NO_DEFAULT_PATH NO_CACHE)
  translate_required_nccl(required required_major)
  set(${folders} "" PARENT_SCOPE)
  if(NOT EXISTS "${TRANSLATE_LIBTORCH_DIR}/lib/libtorch_cuda.so" OR NOT required)
    set(${reason} "LibTorch is no wheel with a CUDA part" PARENT_SCOPE)
    return()
  endif()
  foreach(header IN ITEMS cuda_runtime.h crt/host_defines.h nv/target cublasLt.h cusparse.h cusolverDn.h)
    if(NOT nccl_folder OR NOT EXISTS "${cuda_folder}/${header}")
      set(${reason} "no headers of NCCL and CUDA; scripts/setup --cuda installs them" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  translate_nccl_of("${nccl_folder}" "${cuda_folder}" found found_major)
  if(NOT found STREQUAL required OR NOT found_major STREQUAL required_major)
    set(${reason} "the headers are those of NCCL ${found} and CUDA ${found_major}, LibTorch needs NCCL ${required} and CUDA ${required_major}; scripts/setup --cuda installs them" PARENT_SCOPE)
    return()
  endif()
  set(found "${nccl_folder}" "${cuda_folder}")
  list(REMOVE_DUPLICATES found)
  set(${folders} "${found}" PARENT_SCOPE)
endfunction()

# Defines translate_nccl, a part of `programs`, where it can be built; elsewhere, removes an older one.
function(translate_add_nccl_plugin)
  set(file "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/libtranslate_nccl.so")
  translate_find_nccl(folders reason)
  if(NOT folders)
    message(STATUS "libtranslate_nccl, for several processes on GPUs: not built (${reason})")
    file(REMOVE "${file}")
    return()
  endif()
  message(STATUS "libtranslate_nccl, for several processes on GPUs: built with ${folders}")
  add_library(translate_nccl MODULE trainer/processes/nccl/nccl_plugin.cpp)
  target_include_directories(translate_nccl PRIVATE
    $<TARGET_PROPERTY:translate_collectives,INTERFACE_INCLUDE_DIRECTORIES>)
  target_include_directories(translate_nccl SYSTEM PRIVATE ${folders})
  target_link_libraries(translate_nccl PRIVATE
    translate_flags translate::libtorch "${TRANSLATE_LIBTORCH_DIR}/lib/libtorch_cuda.so")
  target_link_options(translate_nccl PRIVATE
    "LINKER:--version-script=${CMAKE_CURRENT_SOURCE_DIR}/trainer/processes/nccl/libtranslate_nccl.map")
  if(NOT TRANSLATE_SANITIZE)
    target_link_options(translate_nccl PRIVATE LINKER:--no-undefined)
  endif()
  set_target_properties(translate_nccl PROPERTIES
    LINK_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/trainer/processes/nccl/libtranslate_nccl.map"
    BUILD_RPATH "\$ORIGIN;${TRANSLATE_LIBTORCH_RPATH}"
    INSTALL_RPATH "\$ORIGIN;\$ORIGIN/${PROJECT_NAME}")
  add_dependencies(programs translate_nccl)
  install(TARGETS translate_nccl LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT gpu)
endfunction()

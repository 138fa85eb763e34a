# Finds LibTorch and defines the imported target translate::libtorch.
#
# LibTorch may be an unpacked libtorch or the `torch` folder of a Python wheel. The search order is:
#   1. -DLIBTORCH_ROOT=DIR
#   2. the environment variable LIBTORCH_ROOT
#   3. the wheel that scripts/setup installs: .deps/venv
#   4. a wheel installed for python3 (Python only reports its place; torch is not imported)
#
# Only libtorch_cpu and libc10 are linked. The wheel's own CMake package requires a whole CUDA toolkit, which this
# project does not need: the CUDA part is loaded at run time if there is a GPU.

set(LIBTORCH_ROOT "" CACHE PATH "LibTorch: an unpacked libtorch, or the torch folder of a Python wheel")
if(NOT LIBTORCH_ROOT AND NOT "$ENV{LIBTORCH_ROOT}" STREQUAL "")
  # The cache keeps the value, because a build that configures itself again may run without the variable.
  set_property(CACHE LIBTORCH_ROOT PROPERTY VALUE "$ENV{LIBTORCH_ROOT}")
endif()

# Sets `result` to the folder with include/ and lib/ at or just under `folder`, or to "" if there is none.
function(translate_libtorch_at folder result)
  set(${result} "" PARENT_SCOPE)
  foreach(candidate IN ITEMS "${folder}" "${folder}/torch" "${folder}/libtorch")
    if(EXISTS "${candidate}/lib/libtorch_cpu.so" AND EXISTS "${candidate}/include/ATen/ATen.h")
      get_filename_component(candidate "${candidate}" REALPATH)
      set(${result} "${candidate}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# Sets `folder` and `origin` in the caller. A place that the user named must contain LibTorch; the others may be empty.
function(translate_find_libtorch folder origin)
  if(LIBTORCH_ROOT)
    translate_libtorch_at("${LIBTORCH_ROOT}" found)
    if(NOT found)
      message(FATAL_ERROR
        "There is no LibTorch at ${LIBTORCH_ROOT} (named by LIBTORCH_ROOT, on the command line or in the "
        "environment, now or when this build folder was configured first).\n"
        "Expected there: lib/libtorch_cpu.so and include/ATen/ATen.h, as in an unpacked libtorch or in the torch "
        "folder of a Python wheel. Name such a folder with -DLIBTORCH_ROOT=DIR, or run scripts/setup and configure "
        "with -ULIBTORCH_ROOT.")
    endif()
    set(${folder} "${found}" PARENT_SCOPE)
    set(${origin} "LIBTORCH_ROOT" PARENT_SCOPE)
    return()
  endif()

  file(GLOB wheels "${PROJECT_SOURCE_DIR}/.deps/venv/lib/python3*/site-packages/torch")
  foreach(wheel IN LISTS wheels)
    translate_libtorch_at("${wheel}" found)
    if(found)
      set(${folder} "${found}" PARENT_SCOPE)
      set(${origin} "scripts/setup" PARENT_SCOPE)
      return()
    endif()
  endforeach()

  set(ask "import importlib.util as u, os; s = u.find_spec('torch'); print(os.path.dirname(s.origin) if s else '')")
  execute_process(COMMAND python3 -c "${ask}" OUTPUT_VARIABLE wheel OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(wheel)
    translate_libtorch_at("${wheel}" found)
    if(found)
      set(${folder} "${found}" PARENT_SCOPE)
      set(${origin} "python3's torch" PARENT_SCOPE)
      return()
    endif()
  endif()

  set(${folder} "" PARENT_SCOPE)
endfunction()

# Fails if libtorch_cpu.so needs libraries that are not installed, and names them.
function(translate_check_libtorch_loads library search_path)
  string(REPLACE ";" ":" search_path "${search_path}")
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env "LD_LIBRARY_PATH=${search_path}" ldd "${library}"
    OUTPUT_VARIABLE dependencies ERROR_QUIET)
  string(REGEX MATCHALL "[^ \t\n]+ => not found" missing "${dependencies}")
  if(missing)
    list(REMOVE_DUPLICATES missing)
    list(JOIN missing "\n  " missing)
    message(FATAL_ERROR
      "LibTorch is incomplete: ${library} needs\n  ${missing}\n"
      "A wheel needs nvidia-cuda-runtime and nvidia-cuda-cupti beside it, even for work on the CPU. "
      "scripts/setup installs them; for another wheel, install them with pip into the same environment.")
  endif()
endfunction()

translate_find_libtorch(TRANSLATE_LIBTORCH_DIR TRANSLATE_LIBTORCH_ORIGIN)
if(NOT TRANSLATE_LIBTORCH_DIR)
  set(TRANSLATE_LIBTORCH_MISSING
    "  LibTorch. Looked at:\n"
    "    -DLIBTORCH_ROOT and the environment variable LIBTORCH_ROOT: not set\n"
    "    ${PROJECT_SOURCE_DIR}/.deps/venv (made by scripts/setup): no torch there\n"
    "    python3's installed packages: no torch there\n"
    "  Run scripts/setup, which installs it into .deps/, or name yours: cmake --preset release -DLIBTORCH_ROOT=DIR, "
    "where DIR is an unpacked libtorch or the torch folder of a Python wheel.\n")
  list(JOIN TRANSLATE_LIBTORCH_MISSING "" TRANSLATE_LIBTORCH_MISSING)
  return()
endif()

set(TRANSLATE_LIBTORCH_VERSION "")
foreach(header IN ITEMS torch/headeronly/version.h torch/csrc/api/include/torch/version.h)
  if(NOT TRANSLATE_LIBTORCH_VERSION AND EXISTS "${TRANSLATE_LIBTORCH_DIR}/include/${header}")
    file(STRINGS "${TRANSLATE_LIBTORCH_DIR}/include/${header}" lines REGEX "TORCH_VERSION_(MAJOR|MINOR|PATCH) +[0-9]+$")
    string(REGEX MATCHALL "[0-9]+" numbers "${lines}")
    list(JOIN numbers "." TRANSLATE_LIBTORCH_VERSION)
  endif()
endforeach()
message(STATUS "LibTorch ${TRANSLATE_LIBTORCH_VERSION}: ${TRANSLATE_LIBTORCH_DIR} (from ${TRANSLATE_LIBTORCH_ORIGIN})")

# SentencePiece and spdlog come from the system, with the compiler's own C++ ABI; LibTorch must share it.
set(torch_config "${TRANSLATE_LIBTORCH_DIR}/share/cmake/Torch/TorchConfig.cmake")
if(EXISTS "${torch_config}")
  file(STRINGS "${torch_config}" lines REGEX "_GLIBCXX_USE_CXX11_ABI=0")
  if(lines)
    message(FATAL_ERROR
      "${TRANSLATE_LIBTORCH_DIR} was built with the old C++ ABI (_GLIBCXX_USE_CXX11_ABI=0), which the system's "
      "libraries do not share. Take a LibTorch with the C++11 ABI (scripts/setup installs one).")
  endif()
endif()

# A wheel's CUDA libraries are in folders beside it; the programs look there for libcudart and libcupti.
set(TRANSLATE_LIBTORCH_RPATH "${TRANSLATE_LIBTORCH_DIR}/lib")
get_filename_component(site_packages "${TRANSLATE_LIBTORCH_DIR}" DIRECTORY)
file(GLOB cuda_libraries "${site_packages}/nvidia/cu*/lib" "${site_packages}/nvidia/cuda_*/lib")
list(APPEND TRANSLATE_LIBTORCH_RPATH ${cuda_libraries})
translate_check_libtorch_loads("${TRANSLATE_LIBTORCH_DIR}/lib/libtorch_cpu.so" "${TRANSLATE_LIBTORCH_RPATH}")

# Sets `result` to the files in LibTorch's folders that an installed program needs to load `library`: a list of
# NAME=FILE, with the library itself first and without the system's libraries (libc, libstdc++).
function(translate_libraries_behind library result)
  list(JOIN TRANSLATE_LIBTORCH_RPATH ":" search_path)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env "LD_LIBRARY_PATH=${search_path}" ldd "${library}"
    OUTPUT_VARIABLE dependencies ERROR_QUIET)
  get_filename_component(name "${library}" NAME)
  set(found "${name}=${library}")
  set(folders "")
  foreach(folder IN LISTS TRANSLATE_LIBTORCH_RPATH)
    get_filename_component(folder "${folder}" REALPATH)
    list(APPEND folders "${folder}")
  endforeach()
  string(REGEX MATCHALL "[^ \t\n]+ => [^\n]+ \\(0x" lines "${dependencies}")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "([^ ]+) => (.+) \\(0x" line "${line}")
    set(name "${CMAKE_MATCH_1}")
    get_filename_component(file "${CMAKE_MATCH_2}" REALPATH)  # as ldd prints it, with .. and links in it
    get_filename_component(folder "${file}" DIRECTORY)
    if(folder IN_LIST folders)
      list(APPEND found "${name}=${file}")
    endif()
  endforeach()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# LibTorch contains its own fmt headers, of another version than the fmt that the system's spdlog is built with. This
# folder, which is searched first, contains only a link to the system's headers.
find_path(TRANSLATE_FMT_INCLUDE_DIR fmt/format.h REQUIRED)
set(TRANSLATE_INCLUDE_FIRST "${PROJECT_BINARY_DIR}/include-first")
file(MAKE_DIRECTORY "${TRANSLATE_INCLUDE_FIRST}")
file(CREATE_LINK "${TRANSLATE_FMT_INCLUDE_DIR}/fmt" "${TRANSLATE_INCLUDE_FIRST}/fmt" SYMBOLIC)

add_library(translate_libtorch INTERFACE)
add_library(translate::libtorch ALIAS translate_libtorch)
target_include_directories(translate_libtorch SYSTEM INTERFACE
  "${TRANSLATE_INCLUDE_FIRST}"
  "${TRANSLATE_LIBTORCH_DIR}/include"
  "${TRANSLATE_LIBTORCH_DIR}/include/torch/csrc/api/include")
target_link_libraries(translate_libtorch INTERFACE
  "${TRANSLATE_LIBTORCH_DIR}/lib/libtorch_cpu.so" "${TRANSLATE_LIBTORCH_DIR}/lib/libc10.so")
if(NOT TRANSLATE_FUZZ)  # a fuzz target needs no speed, and Clang's OpenMP runtime is not the one that LibTorch has
  target_compile_options(translate_libtorch INTERFACE -fopenmp)
endif()

# at::parallel_for runs on one thread unless the file that calls it is compiled with OpenMP. LibTorch has its own
# libgomp: linking this library keeps a second OpenMP runtime, with threads of its own, out of the process.
file(GLOB bundled_gomp "${TRANSLATE_LIBTORCH_DIR}/lib/libgomp*.so*")
if(bundled_gomp)
  list(GET bundled_gomp 0 bundled_gomp)
  target_link_libraries(translate_libtorch INTERFACE "${bundled_gomp}")
else()
  target_link_options(translate_libtorch INTERFACE -fopenmp)
endif()

# Finds the system's libraries; says in one message which of them are missing.

set(missing "")

# Notes `package` (its Debian name) as missing unless `found`.
macro(translate_require found what package)
  if(NOT ${found})
    string(APPEND missing "  ${what} (Debian package ${package})\n")
  endif()
endmacro()

find_package(Threads REQUIRED)
find_package(PkgConfig QUIET)
translate_require(PKG_CONFIG_FOUND "pkg-config" pkg-config)
if(PKG_CONFIG_FOUND)
  pkg_check_modules(SENTENCEPIECE QUIET IMPORTED_TARGET sentencepiece)
endif()
find_library(SENTENCEPIECE_TRAIN_LIBRARY sentencepiece_train)
if(SENTENCEPIECE_FOUND AND NOT SENTENCEPIECE_TRAIN_LIBRARY)
  set(SENTENCEPIECE_FOUND FALSE)
endif()
translate_require(SENTENCEPIECE_FOUND "SentencePiece, with its trainer" libsentencepiece-dev)
find_package(CLI11 QUIET)
translate_require(CLI11_FOUND "CLI11" libcli11-dev)
find_package(nlohmann_json QUIET)
translate_require(nlohmann_json_FOUND "nlohmann_json" nlohmann-json3-dev)
find_package(fmt QUIET)
translate_require(fmt_FOUND "fmt" libfmt-dev)
find_package(spdlog QUIET)
translate_require(spdlog_FOUND "spdlog" libspdlog-dev)
find_package(ZLIB QUIET)
translate_require(ZLIB_FOUND "zlib" zlib1g-dev)
find_package(ICU QUIET COMPONENTS uc)
translate_require(ICU_FOUND "ICU" libicu-dev)
# A library of its own on Debian, with the definitions that it was built with; elsewhere often a header and no more,
# which then needs neither OpenSSL nor Brotli.
find_path(TRANSLATE_HTTPLIB_INCLUDE_DIR httplib.h)
translate_require(TRANSLATE_HTTPLIB_INCLUDE_DIR "cpp-httplib" libcpp-httplib-dev)
if(PKG_CONFIG_FOUND)
  pkg_check_modules(HTTPLIB QUIET cpp-httplib)
endif()
if(BUILD_TESTING)
  find_package(GTest QUIET)
  translate_require(GTest_FOUND "GoogleTest" libgtest-dev)
  translate_require(GTest_FOUND "GoogleMock" libgmock-dev)
endif()

if(missing)
  message(FATAL_ERROR
    "These libraries were not found in the system's folders nor under CMAKE_PREFIX_PATH:\n${missing}"
    "Run scripts/setup, which installs what is missing on Debian, or install them as your system does.")
endif()

add_library(translate_sentencepiece INTERFACE)
add_library(translate::sentencepiece ALIAS translate_sentencepiece)
target_link_libraries(translate_sentencepiece INTERFACE PkgConfig::SENTENCEPIECE "${SENTENCEPIECE_TRAIN_LIBRARY}")

# Only the files that include <httplib.h> are compiled with its definitions: everything else stays as it is without it.
add_library(translate_httplib INTERFACE)
add_library(translate::httplib ALIAS translate_httplib)
target_link_libraries(translate_httplib INTERFACE ${HTTPLIB_LINK_LIBRARIES} Threads::Threads)
set(translate_httplib_options ${HTTPLIB_CFLAGS_OTHER})
if(NOT TRANSLATE_HTTPLIB_INCLUDE_DIR IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
  list(APPEND translate_httplib_options -isystem "${TRANSLATE_HTTPLIB_INCLUDE_DIR}")
endif()
function(translate_use_httplib)
  set_source_files_properties(${ARGN} PROPERTIES
    COMPILE_OPTIONS "${translate_httplib_options}" SKIP_PRECOMPILE_HEADERS ON)
endfunction()

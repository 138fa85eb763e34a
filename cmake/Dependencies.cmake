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

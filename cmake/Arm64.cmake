# A toolchain that compiles for ARM64 on another processor: Debian's cross compiler, with the libraries of
# `scripts/setup --arm64` in .deps/arm64. What it builds runs under QEMU, tests included.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
get_filename_component(TRANSLATE_ARM64_ROOT "${CMAKE_CURRENT_LIST_DIR}/../.deps/arm64/root" ABSOLUTE)
set(CMAKE_SYSROOT "${TRANSLATE_ARM64_ROOT}")
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} "${TRANSLATE_ARM64_ROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${TRANSLATE_ARM64_ROOT}/usr/share/pkgconfig")
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${TRANSLATE_ARM64_ROOT}")
# TRANSLATE_ARM64_CPU, such as cortex-a72, is the processor that QEMU emulates.
if(NOT DEFINED TRANSLATE_ARM64_CPU)
  set(TRANSLATE_ARM64_CPU max)
endif()
set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-aarch64-static;-cpu;${TRANSLATE_ARM64_CPU};-L;${TRANSLATE_ARM64_ROOT}")

# `cmake --install` makes a folder that can be moved anywhere and works without this checkout and its LibTorch:
#
#   bin/                the programs; they look for libraries in ../lib, relative to themselves
#   lib/                libtranslate, and libtranslate_torch with what needs LibTorch's operators; libtranslate_nccl,
#                       where it is built (cmake/Nccl.cmake)
#   lib/translate/      the libraries of LibTorch that they need
#   lib/cmake/, include/    for programs that use libtranslate: find_package(translate)
#   share/translate/    the configurations and the example corpus
#   share/man, share/bash-completion, ...; share/doc/translate
#
# Components, for `cmake --install BUILD --component NAME`: `translation` has the programs and the library that need no
# LibTorch, `training` the others, `training-libraries` LibTorch for them, `development` what is needed to compile
# programs with libtranslate, `gpu` libtranslate_nccl, `documentation` the rest. A wheel has the component `python` alone
# (pyproject.toml): libtranslate and translate-infer.

set(TRANSLATE_LIBRARY_FOLDER "${CMAKE_INSTALL_LIBDIR}/${PROJECT_NAME}")
file(RELATIVE_PATH to_libraries "/prefix/${CMAKE_INSTALL_BINDIR}" "/prefix/${CMAKE_INSTALL_LIBDIR}")
set(TRANSLATE_INSTALL_RPATH "\$ORIGIN/${to_libraries};\$ORIGIN/${to_libraries}/${PROJECT_NAME}")
set(TRANSLATE_MANUAL_FOLDER "${PROJECT_BINARY_DIR}/generated/manual")

# The programs that are built, those that need LibTorch in a list of their own.
set(TRANSLATE_COMMANDS translate-infer)
set(TRANSLATE_TRAINING_COMMANDS "")
foreach(pair IN ITEMS DATA=translate-data EVAL=translate-eval INTEROP=translate-export INTEROP=translate-import SERVE=translate-serve)
  string(REGEX MATCH "(.+)=(.+)" pair "${pair}")
  if(TRANSLATE_${CMAKE_MATCH_1})
    list(APPEND TRANSLATE_COMMANDS ${CMAKE_MATCH_2})
  endif()
endforeach()
foreach(pair IN ITEMS TRAINER=translate-train EXPLAIN=translate-explain)
  string(REGEX MATCH "(.+)=(.+)" pair "${pair}")
  if(TRANSLATE_${CMAKE_MATCH_1})
    list(APPEND TRANSLATE_TRAINING_COMMANDS ${CMAKE_MATCH_2})
  endif()
endforeach()

# Installs the programs, the libraries and the headers of include/.
function(translate_install_targets)
  if(SKBUILD)
    set_target_properties(translate PROPERTIES VERSION ${PROJECT_VERSION_MAJOR})  # a wheel cannot hold links
    install(TARGETS translate-infer RUNTIME DESTINATION bin COMPONENT python)
    install(TARGETS translate LIBRARY DESTINATION lib COMPONENT python NAMELINK_SKIP)
    set_target_properties(translate translate-infer PROPERTIES INSTALL_RPATH "\$ORIGIN/../lib")
    return()
  endif()
  install(TARGETS ${TRANSLATE_COMMANDS} RUNTIME COMPONENT translation)
  install(TARGETS translate EXPORT translate-targets
    LIBRARY COMPONENT translation NAMELINK_COMPONENT development)
  if(TRANSLATE_TRAINER)
    install(TARGETS ${TRANSLATE_TRAINING_COMMANDS} RUNTIME COMPONENT training)
    install(TARGETS translate_torch LIBRARY COMPONENT training NAMELINK_SKIP)
  endif()

  set(package "${CMAKE_INSTALL_LIBDIR}/cmake/${PROJECT_NAME}")
  include(CMakePackageConfigHelpers)
  write_basic_package_version_file("${PROJECT_BINARY_DIR}/generated/translate-config-version.cmake"
    COMPATIBILITY SameMinorVersion)
  install(FILES "${PROJECT_BINARY_DIR}/generated/translate-config-version.cmake"
    DESTINATION "${package}" COMPONENT development)
  install(EXPORT translate-targets NAMESPACE translate:: FILE translate-config.cmake
    DESTINATION "${package}" COMPONENT development)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/translate"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development)
endfunction()

# Installs LibTorch's `library` and the libraries that it needs, except those of the system.
function(translate_install_library library component)
  translate_libraries_behind("${library}" pairs)
  foreach(pair IN LISTS pairs)
    string(REPLACE "=" ";" pair "${pair}")
    list(POP_FRONT pair name)
    install(FILES "${pair}" DESTINATION "${TRANSLATE_LIBRARY_FOLDER}" RENAME "${name}" COMPONENT ${component})
  endforeach()
endfunction()

function(translate_install_manual program component)
  install(FILES "${TRANSLATE_MANUAL_FOLDER}/man/${program}.1.gz"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/man/man1" COMPONENT ${component})
  install(FILES "${TRANSLATE_MANUAL_FOLDER}/bash/${program}"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" COMPONENT ${component})
  install(FILES "${TRANSLATE_MANUAL_FOLDER}/fish/${program}.fish"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d" COMPONENT ${component})
  # Debian packages have another folder for zsh's completions (cmake/Packages.cmake).
  install(FILES "${TRANSLATE_MANUAL_FOLDER}/zsh/_${program}"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" COMPONENT documentation)
endfunction()

function(translate_install_files)
  if(TRANSLATE_TRAINER)
    translate_install_library("${TRANSLATE_LIBTORCH_DIR}/lib/libtorch_cpu.so" training-libraries)
  endif()
  foreach(program IN LISTS TRANSLATE_COMMANDS)
    translate_install_manual(${program} translation)
  endforeach()
  foreach(program IN LISTS TRANSLATE_TRAINING_COMMANDS)
    translate_install_manual(${program} training)
  endforeach()
  # The paths in a configuration are relative to its file, so configs/ and data/ stay side by side.
  install(DIRECTORY configs DESTINATION "${CMAKE_INSTALL_DATADIR}/${PROJECT_NAME}" COMPONENT training OPTIONAL)
  install(DIRECTORY data/en-fr
    DESTINATION "${CMAKE_INSTALL_DATADIR}/${PROJECT_NAME}/data" COMPONENT training OPTIONAL)
  install(FILES README.md CHANGELOG.md LICENSE
    DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT documentation OPTIONAL)
  install(DIRECTORY docs DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT documentation OPTIONAL)
endfunction()

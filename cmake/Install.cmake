# `cmake --install` makes a folder that can be moved anywhere and works without this checkout and its LibTorch:
#
#   bin/                the programs; they look for libraries in ../lib/translate, relative to themselves
#   lib/translate/      the libraries of LibTorch that they need
#   share/translate/    the configurations and the example corpus
#   share/man, share/bash-completion, ...; share/doc/translate
#
# Components, for `cmake --install BUILD --component NAME`: `translation` has the programs that need only LibTorch's
# small core, `training` the others, `training-libraries` LibTorch's operators for them, `documentation` the rest.

set(TRANSLATE_LIBRARY_FOLDER "lib/${PROJECT_NAME}")
file(RELATIVE_PATH to_prefix "/prefix/${CMAKE_INSTALL_BINDIR}" "/prefix")
set(TRANSLATE_INSTALL_RPATH "\$ORIGIN/${to_prefix}${TRANSLATE_LIBRARY_FOLDER}")
set(TRANSLATE_MANUAL_FOLDER "${PROJECT_BINARY_DIR}/generated/manual")
set(TRANSLATE_COMMANDS translate-train translate-eval translate-infer translate-serve)

# Installs a program. `<program>-libtorch`, which continues the work of a program, shares its man page.
function(translate_install_program program component)
  install(TARGETS ${program} RUNTIME COMPONENT ${component})
  if(program MATCHES "^(.*)-libtorch$")
    set(page "${PROJECT_BINARY_DIR}/generated/${program}.1.gz")
    file(CREATE_LINK "${CMAKE_MATCH_1}.1.gz" "${page}" SYMBOLIC)
    install(FILES "${page}" DESTINATION "${CMAKE_INSTALL_DATADIR}/man/man1" COMPONENT ${component})
  endif()
endfunction()

# Installs LibTorch's `library` and the libraries that it needs, except those in `except`; sets `installed` to their
# names.
function(translate_install_library library component except installed)
  translate_libraries_behind("${library}" pairs)
  set(names "")
  foreach(pair IN LISTS pairs)
    string(REPLACE "=" ";" pair "${pair}")
    list(POP_FRONT pair name)
    if(NOT name IN_LIST except)
      install(FILES "${pair}" DESTINATION "${TRANSLATE_LIBRARY_FOLDER}" RENAME "${name}" COMPONENT ${component})
      list(APPEND names "${name}")
    endif()
  endforeach()
  set(${installed} "${names}" PARENT_SCOPE)
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
  set(libraries "${TRANSLATE_LIBTORCH_DIR}/lib")
  translate_install_library("${libraries}/libc10.so" translation "" small)
  translate_install_library("${libraries}/libtorch_cpu.so" training-libraries "${small}" large)
  set(TRANSLATE_SMALL_LIBRARIES "${small}" PARENT_SCOPE)
  set(TRANSLATE_LARGE_LIBRARIES "${large}" PARENT_SCOPE)
  foreach(program IN LISTS TRANSLATE_COMMANDS)
    if(program STREQUAL translate-train)
      translate_install_manual(${program} training)
    else()
      translate_install_manual(${program} translation)
    endif()
  endforeach()
  # The paths in a configuration are relative to its file, so configs/ and data/ stay side by side.
  install(DIRECTORY configs DESTINATION "${CMAKE_INSTALL_DATADIR}/${PROJECT_NAME}" COMPONENT training OPTIONAL)
  install(DIRECTORY data/en-fr
    DESTINATION "${CMAKE_INSTALL_DATADIR}/${PROJECT_NAME}/data" COMPONENT training OPTIONAL)
  install(FILES README.md CHANGELOG.md LICENSE
    DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT documentation OPTIONAL)
  install(DIRECTORY docs DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT documentation OPTIONAL)
endfunction()

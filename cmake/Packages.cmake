# The Debian packages, made by `scripts/package` (CPack): translate-mt, with the programs and the library that need no
# LibTorch, translate-mt-train, with the others and LibTorch, and translate-mt-dev, for programs that use libtranslate.
# Files that only a Debian package has (the systemd unit, the licences, ...) are in packaging/ and in components of their
# own, which `cmake --install` leaves out.

set(TRANSLATE_PACKAGE_MAINTAINER "The translate authors <maintainers@translate.invalid>" CACHE STRING
  "Who maintains the Debian packages: Name <address>")

# The licences beside LibTorch's wheel and its CUDA libraries; an unpacked libtorch has only some of them.
get_filename_component(site_packages "${TRANSLATE_LIBTORCH_DIR}" DIRECTORY)
file(GLOB torch_licences "${site_packages}/torch-*.dist-info/licenses/*")
file(GLOB nvidia_licences "${site_packages}/nvidia_cuda_runtime-*.dist-info/licenses/*")
file(GLOB header_licences /usr/share/doc/libcli11-dev/copyright /usr/share/doc/nlohmann-json3-dev/copyright
  /usr/share/doc/libfmt-dev/copyright /usr/share/doc/libspdlog-dev/copyright)
list(LENGTH header_licences header_licence_count)
find_program(TRANSLATE_GZIP gzip)
find_program(TRANSLATE_SHLIBDEPS dpkg-shlibdeps)
if(NOT torch_licences OR NOT nvidia_licences OR NOT header_licence_count EQUAL 4 OR NOT TRANSLATE_GZIP
    OR NOT TRANSLATE_SHLIBDEPS)
  message(STATUS "Debian packages: not from here; they need the LibTorch of scripts/setup and dpkg-dev (scripts/setup --dev)")
  return()
endif()

set(TRANSLATE_PACKAGE_VERSION "${PROJECT_VERSION}-1")
set(packaging "${PROJECT_SOURCE_DIR}/packaging")
set(made "${PROJECT_BINARY_DIR}/packaging")

# The packages have the date of the last commit, so that the same sources give the same package.
execute_process(COMMAND git -C "${PROJECT_SOURCE_DIR}" log -1 --format=%ct
  OUTPUT_VARIABLE commit_time OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(commit_time AND NOT DEFINED ENV{SOURCE_DATE_EPOCH})
  set(ENV{SOURCE_DATE_EPOCH} "${commit_time}")
endif()
string(TIMESTAMP TRANSLATE_PACKAGE_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)

# Appends the texts of licences to a file, each under the heading "Licence of HEADING".
function(translate_append_licences file heading)
  string(APPEND text "\n\nLicence of ${heading}\n--------------------\n\n")
  foreach(licence IN LISTS ARGN)
    file(READ "${licence}" content)
    string(APPEND text "${content}\n")
  endforeach()
  string(ASCII 12 page_break)
  string(REPLACE "\r" "" text "${text}")
  string(REPLACE "${page_break}" "" text "${text}")
  file(APPEND "${file}" "${text}")
endfunction()

# Writes the copyright file of a package and installs it, its changelogs and its lintian overrides. `bundled` names the
# works of others that the package holds, if there are any; their licences are appended.
function(translate_package_documents package component bundled)
  set(TRANSLATE_PACKAGE ${package})
  set(TRANSLATE_BUNDLED "")
  if(bundled)
    set(TRANSLATE_BUNDLED "The package holds other works, too: ${bundled}.\nTheir licences follow.")
  endif()
  file(READ "${PROJECT_SOURCE_DIR}/LICENSE" TRANSLATE_LICENCE)
  configure_file("${packaging}/copyright.in" "${made}/${package}/copyright" @ONLY)
  if(bundled)
    if(bundled MATCHES "LibTorch")
      translate_append_licences("${made}/${package}/copyright" "PyTorch, of which LibTorch is a part" ${torch_licences})
    endif()
    foreach(licence IN LISTS header_licences)
      get_filename_component(name "${licence}" DIRECTORY)
      get_filename_component(name "${name}" NAME)
      translate_append_licences("${made}/${package}/copyright" "headers of ${name}" "${licence}")
    endforeach()
    translate_append_licences("${made}/${package}/copyright" "headers of Boost" "${packaging}/boost.licence")
  endif()
  file(WRITE "${made}/${package}/changelog.Debian"
    "${package} (${TRANSLATE_PACKAGE_VERSION}) bookworm; urgency=medium\n\n"
    "  * Version ${PROJECT_VERSION}; changelog.gz tells the changes.\n\n"
    " -- ${TRANSLATE_PACKAGE_MAINTAINER}  ${TRANSLATE_PACKAGE_DATE}\n")
  file(COPY_FILE "${PROJECT_SOURCE_DIR}/CHANGELOG.md" "${made}/${package}/changelog")
  foreach(file IN ITEMS changelog changelog.Debian)
    execute_process(COMMAND "${TRANSLATE_GZIP}" -9nf "${made}/${package}/${file}" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  install(FILES "${made}/${package}/copyright" "${made}/${package}/changelog.gz" "${made}/${package}/changelog.Debian.gz"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${package}" COMPONENT ${component} EXCLUDE_FROM_ALL)
  install(FILES "${packaging}/${package}.lintian-overrides" RENAME ${package}
    DESTINATION "${CMAKE_INSTALL_DATADIR}/lintian/overrides" COMPONENT ${component} EXCLUDE_FROM_ALL)
endfunction()

translate_package_documents(translate-mt deb-translation
  "code from the headers of Boost, CLI11, JSON for Modern C++, fmt and spdlog")
translate_package_documents(translate-mt-train deb-training
  "LibTorch's libraries libtorch_cpu, libc10 and libgomp as PyTorch's wheel has them, NVIDIA's libcudart and libcupti, which libtorch_cpu loads, and code from the headers of Boost, CLI11, JSON for Modern C++, fmt and spdlog")
translate_package_documents(translate-mt-dev deb-development "")
translate_append_licences("${made}/translate-mt-train/copyright" "libgomp" "${packaging}/gcc-runtime.licence")
translate_append_licences("${made}/translate-mt-train/copyright" "oneMKL" "${packaging}/onemkl.licence")
translate_append_licences("${made}/translate-mt-train/copyright" "libcudart and libcupti" ${nvidia_licences})

set(zsh_completions "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions")
install(FILES README.md DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/translate-mt"
  COMPONENT deb-translation EXCLUDE_FROM_ALL)
install(DIRECTORY docs DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/translate-mt" COMPONENT deb-translation EXCLUDE_FROM_ALL)
install(FILES "${packaging}/translate-mt.service" DESTINATION /lib/systemd/system
  COMPONENT deb-translation EXCLUDE_FROM_ALL)
install(FILES "${packaging}/translate-mt.default" DESTINATION /etc/default RENAME translate-mt
  COMPONENT deb-translation EXCLUDE_FROM_ALL)
install(DIRECTORY DESTINATION /var/lib/translate-mt COMPONENT deb-translation EXCLUDE_FROM_ALL)
foreach(program IN LISTS TRANSLATE_COMMANDS)
  if(program IN_LIST TRANSLATE_TRAINING_COMMANDS)
    install(FILES "${TRANSLATE_MANUAL_FOLDER}/zsh/_${program}" DESTINATION "${zsh_completions}"
      COMPONENT deb-training EXCLUDE_FROM_ALL)
  else()
    install(FILES "${TRANSLATE_MANUAL_FOLDER}/zsh/_${program}" DESTINATION "${zsh_completions}"
      COMPONENT deb-translation EXCLUDE_FROM_ALL)
  endif()
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME translate-mt)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_COMPONENTS_ALL
  translation deb-translation training training-libraries deb-training development deb-development)
set(CPACK_COMPONENT_TRANSLATION_GROUP mt)
set(CPACK_COMPONENT_DEB-TRANSLATION_GROUP mt)
set(CPACK_COMPONENT_TRAINING_GROUP train)
set(CPACK_COMPONENT_TRAINING-LIBRARIES_GROUP train)
set(CPACK_COMPONENT_DEB-TRAINING_GROUP train)
set(CPACK_COMPONENT_DEVELOPMENT_GROUP dev)
set(CPACK_COMPONENT_DEB-DEVELOPMENT_GROUP dev)

set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${TRANSLATE_PACKAGE_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Where the libraries are found that belong to no package, and libtranslate, which belongs to one of ours.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${TRANSLATE_LIBTORCH_RPATH} "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")

set(CPACK_DEBIAN_MT_PACKAGE_NAME translate-mt)
set(CPACK_DEBIAN_MT_PACKAGE_SUGGESTS "translate-mt-train")
set(CPACK_DEBIAN_MT_DESCRIPTION "translates text with Transformers, on the CPU
Translates text with encoder-decoder Transformers that translate-train has
trained: translate-infer on the command line, translate-serve over HTTP for
clients of LibreTranslate, translate-eval to measure translations with BLEU,
chrF and TER, translate-data to clean parallel text, and translate-import and
translate-export for models of other systems.

No model is included. Training, explaining a model and using a GPU need the
package translate-mt-train.")
# CPack takes the control files' permissions from these files.
foreach(script IN ITEMS postinst prerm postrm conffiles)
  configure_file("${packaging}/translate-mt.${script}" "${made}/translate-mt/control/${script}" COPYONLY)
endforeach()
# Writes the control files of a package with a shared library in /usr/lib: the package that programs linked with it depend
# on, and the request to run ldconfig.
function(translate_describe_library package library)
  file(WRITE "${made}/${package}/control/shlibs"
    "${library} ${PROJECT_VERSION_MAJOR} ${package} (= ${TRANSLATE_PACKAGE_VERSION})\n")
  file(WRITE "${made}/${package}/control/triggers" "activate-noawait ldconfig\n")
endfunction()
translate_describe_library(translate-mt libtranslate)
translate_describe_library(translate-mt-train libtranslate_torch)
set(control "${made}/translate-mt/control")
set(CPACK_DEBIAN_MT_PACKAGE_CONTROL_EXTRA
  "${control}/postinst;${control}/prerm;${control}/postrm;${control}/conffiles;${control}/shlibs;${control}/triggers")
set(control "${made}/translate-mt-train/control")
set(CPACK_DEBIAN_TRAIN_PACKAGE_CONTROL_EXTRA "${control}/shlibs;${control}/triggers")

set(CPACK_DEBIAN_TRAIN_PACKAGE_NAME translate-mt-train)
set(CPACK_DEBIAN_TRAIN_PACKAGE_DEPENDS "translate-mt (= ${TRANSLATE_PACKAGE_VERSION})")
set(CPACK_DEBIAN_TRAIN_DESCRIPTION "trains Transformers that translate
Trains encoder-decoder Transformers on pairs of sentences (translate-train),
and shows how they compute (translate-explain). With it the programs of
translate-mt can also use GPUs, and bf16 on processors of any kind.

It contains LibTorch for the CPU. The libraries of CUDA are not included:
/usr/share/doc/translate-mt/docs/install.md describes how to add them.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME translate-mt-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "translate-mt (= ${TRANSLATE_PACKAGE_VERSION})")
set(CPACK_DEBIAN_DEV_DESCRIPTION "headers for programs that translate with libtranslate
Headers for C++ and C, and the files with which CMake finds the library:
find_package(translate) defines the target translate::translate. The library
itself is in translate-mt.")
include(CPack)

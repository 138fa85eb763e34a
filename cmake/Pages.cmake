# translate_embed_page(target page.html constant): adds to `target` a source file that defines the string_view
# `constant` with the contents of src/page.html, so that the programs need no file beside them. A line of the page such
# as `/* include tools/explain/pages/page.css */` stands for the contents of that file in src: so pages share styles and scripts,
# and long ones consist of several files.
function(translate_embed_page target page constant)
  set(file "${PROJECT_SOURCE_DIR}/src/${page}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(READ "${file}" TRANSLATE_PAGE_HTML)
  string(REGEX MATCHALL "/\\* include [a-z_/]+\\.(css|js) \\*/\n" lines "${TRANSLATE_PAGE_HTML}")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^/\\* include (.+) \\*/\n$" "\\1" included "${line}")
    set(included "${PROJECT_SOURCE_DIR}/src/${included}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${included}")
    file(READ "${included}" text)
    string(REPLACE "${line}" "${text}" TRANSLATE_PAGE_HTML "${TRANSLATE_PAGE_HTML}")
  endforeach()
  set(TRANSLATE_PAGE "${page}")
  set(TRANSLATE_PAGE_CONSTANT "${constant}")
  get_filename_component(name "${page}" NAME_WE)
  set(source "${PROJECT_BINARY_DIR}/generated/${name}_html.cpp")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/page.cpp.in" "${source}" @ONLY)
  target_sources(${target} PRIVATE "${source}")
  set_source_files_properties("${source}" TARGET_DIRECTORY ${target} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()

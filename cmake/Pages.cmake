# translate_embed_page(page.html constant result): puts a page into a source file that defines the string_view `constant`,
# so that the programs need no file beside them; sets `result` to the source file.
function(translate_embed_page page constant result)
  set(file "${PROJECT_SOURCE_DIR}/${page}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(READ "${file}" TRANSLATE_PAGE_HTML)
  set(TRANSLATE_PAGE "${page}")
  set(TRANSLATE_PAGE_CONSTANT "${constant}")
  get_filename_component(name "${page}" NAME_WE)
  set(source "${PROJECT_BINARY_DIR}/generated/${name}_html.cpp")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/page.cpp.in" "${source}" @ONLY)
  set(${result} "${source}" PARENT_SCOPE)
endfunction()

# Puts src/apps/attention_page.html into a source file, so that the programs need no file beside them.
set(translate_page "${PROJECT_SOURCE_DIR}/src/apps/attention_page.html")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${translate_page}")
file(READ "${translate_page}" TRANSLATE_PAGE_HTML)
set(TRANSLATE_PAGE_SOURCE "${PROJECT_BINARY_DIR}/generated/attention_page_template.cpp")
configure_file("${CMAKE_CURRENT_LIST_DIR}/attention_page_template.cpp.in" "${TRANSLATE_PAGE_SOURCE}" @ONLY)

# Man pages and completions are made from the programs' option objects, so that they agree with --help.

# Defines the target `manual`, a part of `programs`, which writes man/, bash/, zsh/ and fish/ into
# TRANSLATE_MANUAL_FOLDER.
function(translate_make_manual)
  add_executable(make_manual tools/manual/make_manual.cpp)
  target_link_libraries(make_manual PRIVATE
    translate_explain translate_explain_objects translate_learn_objects translate_server translate_server_objects translate_serving_objects translate_detection_objects translate_eval
    translate_eval_objects translate_interop_programs translate_interop_programs_objects translate_export_objects
    translate_trainer)
  set_target_properties(make_manual PROPERTIES
    OUTPUT_NAME make-manual RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/generated")
  set(made "")
  set(zipped "")
  foreach(program IN LISTS TRANSLATE_COMMANDS TRANSLATE_TRAINING_COMMANDS)
    set(page "${TRANSLATE_MANUAL_FOLDER}/man/${program}.1")
    list(APPEND made
      "${page}" "${TRANSLATE_MANUAL_FOLDER}/bash/${program}" "${TRANSLATE_MANUAL_FOLDER}/zsh/_${program}"
      "${TRANSLATE_MANUAL_FOLDER}/fish/${program}.fish")
    # The file has no time stamp, so that the same page gives the same file.
    add_custom_command(OUTPUT "${page}.gz" COMMAND gzip -9nkf "${page}" DEPENDS "${page}" VERBATIM)
    list(APPEND zipped "${page}.gz")
  endforeach()
  add_custom_command(
    OUTPUT ${made} COMMAND make_manual "${TRANSLATE_MANUAL_FOLDER}" DEPENDS make_manual
    COMMENT "Writing man pages and completions" VERBATIM)
  add_custom_target(manual DEPENDS ${made} ${zipped})
  add_dependencies(programs manual)
endfunction()

# Man pages and completions are made from the programs' option objects, so that they agree with --help.

# Defines the target `manual`, a part of `programs`, which writes man/, bash/, zsh/ and fish/ for the programs that are
# built into TRANSLATE_MANUAL_FOLDER.
function(translate_make_manual)
  add_executable(make_manual tools/manual/make_manual.cpp)
  # Some of a part's layers are those of others, too: its archives and libraries stand behind them.
  set(layers_DATA data_program pair_languages pair_formats detection pairs alignment)
  set(layers_EVAL eval)
  set(layers_EXPLAIN explain learn)
  set(layers_INTEROP interop_programs export)
  set(layers_SERVE server serving detection)
  set(linked "translate_infer")
  foreach(part IN ITEMS DATA EVAL EXPLAIN INTEROP SERVE TRAINER)
    if(TRANSLATE_${part})
      target_compile_definitions(make_manual PRIVATE TRANSLATE_HAS_${part})
      foreach(layer IN LISTS layers_${part})
        list(APPEND linked translate_${layer} translate_${layer}_objects)
      endforeach()
    endif()
  endforeach()
  if(TRANSLATE_TRAINER)
    list(REMOVE_ITEM linked translate_pairs_objects translate_alignment_objects)  # the trainer's archive has them
    list(APPEND linked translate_train translate_trainer)
  endif()
  list(REMOVE_DUPLICATES linked)
  target_link_libraries(make_manual PRIVATE ${linked} translate)
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
    OUTPUT ${made} COMMAND make_manual "${TRANSLATE_MANUAL_FOLDER}" "${PROJECT_SOURCE_DIR}/configs" DEPENDS make_manual
    COMMENT "Writing man pages and completions" VERBATIM)
  add_custom_target(manual DEPENDS ${made} ${zipped})
  add_dependencies(programs manual)
endfunction()

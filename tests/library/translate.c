/* Translates each argument after the first, which names a checkpoint, and shows its score and its confidence. */

#include <stdio.h>
#include <translate/translate_c.h>

int main(int argc, char** argv) {
  translate_error* error = NULL;
  translate_options* options = translate_options_new();
  translate_options_set(options, "precision", "fp32", NULL);
  translate_options_set(options, "device", "cpu", NULL);
  translate_model* model = translate_open(argc > 1 ? argv[1] : "latest", options, &error);
  translate_options_free(options);
  if (model == NULL) {
    fprintf(stderr, "%s\n", translate_error_message(error));
    return translate_error_is_mistake(error) ? 2 : 1;
  }
  const size_t count = argc > 2 ? (size_t)argc - 2 : 0;
  translate_result* result = translate_lines(model, (const char* const*)argv + 2, count, &error);
  for (size_t i = 0; result != NULL && i < count; ++i) {
    printf("%s\t%g\t%g\n", translate_result_text(result, i, 0), translate_result_score(result, i, 0),
           translate_result_confidence(result, i, 0));
  }
  translate_result_free(result);
  translate_close(model);
}

// translate-train: trains a model, as a configuration says or on files alone.

#include "train/train_program.h"

#ifdef TRANSLATE_HAS_RECIPES
#include "recipe/recipe_run.h"
#include "recipe/test_score.h"
#endif

int main(int argc, char** argv) {
#ifdef TRANSLATE_HAS_RECIPES
  return translate::trainer::run_train(
      argc, argv, {.prepare = translate::trainer::make_recipe, .measure = translate::trainer::report_test_score});
#else
  return translate::trainer::run_train(argc, argv, {});
#endif
}

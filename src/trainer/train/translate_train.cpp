// translate-train: trains a model, as a configuration says or on files alone.

#include "train/train_program.h"

#ifdef TRANSLATE_HAS_RECIPES
#include "recipe/recipe_run.h"
#endif

int main(int argc, char** argv) {
#ifdef TRANSLATE_HAS_RECIPES
  return translate::trainer::run_train(argc, argv, translate::trainer::make_recipe);
#else
  return translate::trainer::run_train(argc, argv, {});
#endif
}

// translate-train: trains a model, as a configuration says or on files alone.

#include "train/train_program.h"

#ifdef TRANSLATE_HAS_RECIPES
#include "recipe/fine_tuning_run.h"
#include "recipe/recipe_run.h"
#include "recipe/test_score.h"
#endif

int main(int argc, char** argv) {
#ifdef TRANSLATE_HAS_RECIPES
  using namespace translate::trainer;
  return run_train(argc, argv,
                   {.prepare =
                        [](const RecipeRequest& request, const c10::Device& device) {
                          return request.init.empty() ? make_recipe(request, device)
                                                      : make_fine_tuning(request, device);
                        },
                    .measure =
                        [](const RecipeRequest& request, const translate::Config& config) {
                          return request.init.empty() ? report_test_score(config) : finish_fine_tuning(request, config);
                        }});
#else
  return translate::trainer::run_train(argc, argv, {});
#endif
}

// translate-serve: translates over HTTP with a trained model.

#include "explain/learn/learn_page.h"
#include "serve/program/serve_program.h"

int main(int argc, char** argv) {
  using translate::LoadedModel;
  using translate::TranslatorOptions;
  return translate::run_serve(
      argc, argv,
      [](std::span<const LoadedModel> models, const std::string& title, const TranslatorOptions& translating) {
        return translate::learn_page(models, {.title = title, .sentences = {}, .translating = translating});
      });
}

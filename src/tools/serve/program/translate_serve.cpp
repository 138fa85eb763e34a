// translate-serve: translates over HTTP with a trained model.

#include "serve/program/serve_program.h"
#ifdef TRANSLATE_HAS_LEARN_PAGE
#include "explain/learn/learn_page.h"
#endif

int main(int argc, char** argv) {
  translate::tools::PageMaker make_page;
#ifdef TRANSLATE_HAS_LEARN_PAGE
  make_page = [](std::span<const translate::LoadedModel> models, const std::string& title,
                 const translate::TranslatorOptions& translating) {
    return translate::tools::learn_page(models, {.title = title, .sentences = {}, .translating = translating});
  };
#endif
  return translate::tools::run_serve(argc, argv, make_page);
}

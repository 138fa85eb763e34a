// Translates "The cat sat" with the checkpoint that the first argument names, by each function of the C++ interface
// that translate.cpp does not use, and shows what it gave, a line each.

#include <translate/translate.h>

#include <iostream>

int main(int argc, char** argv) {
  try {
    translate_mt::Model model(argc > 1 ? argv[1] : "latest", {{"precision", "fp32"}, {"device", "cpu"}});
    const std::vector<std::string> lines = {"The cat sat"};
    std::cout << model.with_options({{"max_length", "1"}}).translate(lines).front().tokens.size() << '\n';
    const auto whole = model.translate(lines).front();
    const auto ends = whole.token_scores.size() - whole.tokens.size();  // 0 if the length limit cut it off
    std::cout << (ends == (whole.is_truncated ? 0 : 1)) << '\n';
    std::cout << model.translate(lines, {"Le chien"}).front().text << '\n';
    std::cout << model.translate_document("html", "<p>The cat sat</p>") << '\n';
    std::cout << model.languages().front() << '\n';
    for (const auto& subword : model.tokenize("The cat sat")) {
      std::cout << subword;
    }
    std::cout << '\n';
    (void)model.with_options({{"threads", "1"}});
  } catch (const translate_mt::Error& error) {
    std::cout << error.what() << '\n';
    return error.is_mistake() ? 2 : 1;
  }
}

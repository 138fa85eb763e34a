// Translates each argument after the first, which names a checkpoint, and shows its score and its confidence.

#include <translate/translate.h>

#include <iostream>

int main(int argc, char** argv) {
  try {
    translate_mt::Model model(argc > 1 ? argv[1] : "latest", {{"precision", "fp32"}, {"device", "cpu"}});
    const std::vector<std::string> lines(argv + std::min(argc, 2), argv + argc);
    for (const auto& translation : model.translate(lines)) {
      std::cout << translation.text << '\t' << translation.score << '\t' << translation.confidence << '\n';
    }
  } catch (const translate_mt::Error& error) {
    std::cerr << error.what() << '\n';
    return error.is_mistake() ? 2 : 1;
  }
}

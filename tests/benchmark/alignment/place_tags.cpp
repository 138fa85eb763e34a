// place_tags: puts the tags of HTML around the words of given translations, by given links between their words, as
// translate-infer does it for its own ones. tests/benchmark/tagged_text.py measures with it how well the links that a
// model gives for the translations of people carry the tags over.
//
// place_tags texts PAGE: prints the texts of a page, one a line, without tags.
// place_tags write PAGE TRANSLATIONS LINKS: prints the page with the lines of a file in the places of its texts, and
// their links as in "0-0 1-2", a line for each text.

#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/file.h"
#include "corpora/corpus_reader.h"
#include "segments/document_formats.h"
#include "text/alignment_text.h"

namespace {

std::string page_with(const translate::Document& page, const std::string& translations, const std::string& links) {
  auto texts = translate::read_lines(translations);
  const auto alignments = translate::read_lines(links);
  if (texts.size() != page.texts().size() || alignments.size() != texts.size()) {
    throw std::runtime_error(fmt::format("the page has {} texts, and there are {} translations and {} lines of links",
                                         page.texts().size(), texts.size(), alignments.size()));
  }
  std::vector<translate::AlignedText> aligned;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    aligned.push_back(
        {.text = std::move(texts[i]),
         .alignment = translate::parse_alignment_line(alignments[i], fmt::format("{}:{}", links, i + 1))});
  }
  return page.write(aligned);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::string command = arguments.empty() ? "" : arguments[0];
  if (!(command == "texts" && argc == 3) && !(command == "write" && argc == 5)) {
    fmt::print(stderr, "usage: place_tags texts PAGE | place_tags write PAGE TRANSLATIONS LINKS\n");
    return 2;
  }
  try {
    const auto page = translate::read_document(translate::find_document_format("html"),
                                               {.bytes = translate::read_file(arguments[1]), .name = arguments[1]});
    if (command == "write") {
      fmt::print("{}", page_with(*page, arguments[2], arguments[3]));
      return 0;
    }
    for (const auto& text : page->texts()) {
      fmt::print("{}\n", text);
    }
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "place_tags: {}\n", error.what());
    return 1;
  }
}

#include "languages/language_groups.h"

#include <algorithm>
#include <utility>

namespace translate {

std::vector<LanguageGroup> group_by_languages(const DataOptions& data, std::span<const CorpusFiles> files,
                                              std::span<const PairOrigin> origin) {
  if (!name_languages(files)) {
    return {};
  }
  std::vector<LanguageGroup> groups;
  std::vector<std::size_t> group_of_file;
  for (const CorpusFiles& corpus : files) {
    auto languages = language_codes(data, corpus);
    const auto found = std::ranges::find(groups, languages, &LanguageGroup::languages);
    group_of_file.push_back(static_cast<std::size_t>(found - groups.begin()));
    if (found == groups.end()) {
      groups.push_back({.languages = std::move(languages), .sentences = {}});
    }
  }
  for (std::size_t i = 0; i < origin.size(); ++i) {
    groups[group_of_file[origin[i].corpus]].sentences.push_back(i);
  }
  std::erase_if(groups, [](const LanguageGroup& group) { return group.sentences.empty(); });
  return groups.size() > 1 ? groups : std::vector<LanguageGroup>();
}

}  // namespace translate

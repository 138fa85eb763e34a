#include "translate/data/moved_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>

#include "translate/core/error.h"
#include "translate/core/logging.h"
#include "translate/data/public_corpora.h"

namespace translate {

namespace fs = std::filesystem;

namespace {

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

void follow(fs::path& path, const RunPlaces& run) {
  if (path.empty()) return;
  const auto places = places_of(path, run);
  const auto found = std::ranges::find_if(places, is_there);
  if (found == places.end() || *found == path) return;
  log_info(fmt::format("{} is now read from {}", path.string(), found->string()));
  path = *found;
}

/// The first place with that content; nothing where there is none.
std::optional<fs::path> place_with(const TextSum& content, const std::vector<fs::path>& places) {
  for (const auto& place : places) {
    std::error_code error;
    if (fs::file_size(place, error) != content.size || error) continue;
    if (const auto sum = sum_of_file(place); sum && sum->has_content_of(content)) return place;
  }
  return std::nullopt;
}

fs::path find_file(const fs::path& path, const TextSum* content, const RunPlaces& run, const std::string& key) {
  const auto places = places_of(path, run);
  const auto with_content = content != nullptr ? place_with(*content, places) : std::nullopt;
  const auto found = std::ranges::find_if(places, is_there);
  if (!with_content && found == places.end()) {
    std::vector<std::string> names;
    for (const auto& place : places) names.push_back(place.string());
    throw DataError(fmt::format("{}: the file no longer exists; looked for {}{}", key, fmt::join(names, ", "),
                                how_to_get({&path, 1})));
  }
  const auto& place = with_content ? *with_content : *found;
  if (place != path) log_info(fmt::format("{}: {} is now read from {}", key, path.string(), place.string()));
  if (content != nullptr && !with_content) {
    log_warning(fmt::format("{}: {} is not the text that the run was configured with: its content has changed", key,
                            place.string()));
  }
  return place;
}

}  // namespace

std::vector<fs::path> places_of(const fs::path& path, const RunPlaces& run) {
  std::vector<fs::path> places = {path};
  const auto add = [&](const fs::path& base_then, const fs::path& base_now) {
    const auto relative = path.lexically_relative(base_then);
    if (relative.empty()) return;
    auto place = (fs::absolute(base_now) / relative).lexically_normal();
    if (std::ranges::find(places, place) == places.end()) places.push_back(std::move(place));
  };
  auto then = run.then.lexically_normal();
  if (!then.has_filename()) then = then.parent_path();  // it was given with a slash at its end
  if (!run.now.empty()) add(then, run.now);
  if (then.parent_path().filename() == "runs") add(then.parent_path().parent_path(), fs::current_path());
  return places;
}

void follow_moved_run(Config& config, const RunPlaces& run) {
  for (auto* corpora : {&config.data.train, &config.data.validation.files, &config.data.test}) {
    for (auto& files : *corpora) {
      follow(files.source, run);
      follow(files.target, run);
    }
  }
  for (auto* path : {&config.data.cache_dir, &config.tokenizer.source_model, &config.tokenizer.target_model}) {
    follow(*path, run);
  }
}

std::vector<CorpusFiles> find_moved_text(const std::vector<CorpusFiles>& files, const std::vector<CorpusSum>& sums,
                                         const RunPlaces& run, const std::string& key) {
  const bool known = sums.size() == files.size();
  std::vector<CorpusFiles> found;
  for (std::size_t i = 0; i < files.size(); ++i) {
    found.push_back({.source = find_file(files[i].source, known ? &sums[i].source : nullptr, run, key),
                     .target = find_file(files[i].target, known ? &sums[i].target : nullptr, run, key)});
  }
  return found;
}

}  // namespace translate

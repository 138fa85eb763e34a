// Corpora in a configuration: {"source": PATH, "target": PATH}, where a PATH may be a list, or a list of these.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "config/language_code.h"
#include "config/value_reading.h"
#include "core/counted.h"
#include "core/error.h"
#include "core/foreign_text.h"
#include "core/text_distance.h"

namespace translate {

namespace {

using Paths = std::vector<std::filesystem::path>;

/// The members of a corpus.
constexpr std::array kMembers = {"source",          "target", "weight",   "source_language",
                                 "target_language", "markup", "alignment"};

/// A corpus as a configuration has it.
struct Corpus {
  Paths source;
  Paths target;
  double weight = 1.0;
  std::string source_language;
  std::string target_language;
  Markup markup = Markup::kNone;
  Paths alignment;
};

/// Returns the corpus that the first files belong to, and takes them off.
Corpus take_corpus(std::span<const CorpusFiles>& files) {
  Corpus corpus{.source = {},
                .target = {},
                .weight = files.front().weight,
                .source_language = files.front().source_language,
                .target_language = files.front().target_language,
                .markup = files.front().markup,
                .alignment = {}};
  do {
    corpus.source.push_back(files.front().source);
    corpus.target.push_back(files.front().target);
    if (!files.front().alignment.empty()) {
      corpus.alignment.push_back(files.front().alignment);
    }
    files = files.subspan(1);
  } while (!files.empty() && files.front().continues);
  return corpus;
}

/// Adds the files of a corpus; the side that is not given stays empty.
void add_corpus(const OptionValue& value, const Corpus& corpus, std::vector<CorpusFiles>& files) {
  const std::size_t count = std::max<std::size_t>({corpus.source.size(), corpus.target.size(), 1});
  const auto path = [](const Paths& paths, std::size_t i) { return paths.empty() ? Paths::value_type() : paths[i]; };
  if (!corpus.source.empty() && !corpus.target.empty() && corpus.source.size() != corpus.target.size()) {
    value.fail(fmt::format("`source` names {} and `target` {}: expected the translations of each file",
                           counted(corpus.source.size(), "file"), corpus.target.size()));
  }
  if (!corpus.alignment.empty() && corpus.alignment.size() != count) {
    value.fail(fmt::format("`alignment` names {}: expected one for each of the {} of the corpus",
                           counted(corpus.alignment.size(), "file"), counted(count, "file")));
  }
  for (std::size_t i = 0; i < count; ++i) {
    files.push_back({.source = path(corpus.source, i),
                     .target = path(corpus.target, i),
                     .weight = corpus.weight,
                     .continues = i > 0,
                     .source_language = corpus.source_language,
                     .target_language = corpus.target_language,
                     .markup = corpus.markup,
                     .alignment = path(corpus.alignment, i)});
  }
}

std::filesystem::path read_path(const OptionValue& value) {
  std::filesystem::path path;
  read_value(value, {}, path);
  if (path.empty()) {
    value.fail("expected a path, got an empty string");
  }
  return path;
}

/// Reads the path of one side of a corpus, or a list of paths.
void read_side(const OptionValue& corpus, const std::string& key, Paths& paths) {
  if (!corpus.has(key)) {
    if (corpus.source.gives_part_of(corpus.path())) {
      return;  // the other one stays unchanged
    }
    corpus.fail(fmt::format("`{}` is missing: expected {{\"source\": PATH, \"target\": PATH}}", key));
  }
  const OptionValue side = corpus.member(key);
  paths.clear();
  if (!side.json().is_array()) {
    paths.push_back(read_path(side));
    return;
  }
  if (side.json().empty()) {
    side.fail("expected a path or a list of paths, got an empty list");
  }
  for (const auto& path : side.elements()) {
    paths.push_back(read_path({path, side.source}));
  }
}

/// Reads the code of a language, which becomes a part of a tag: `>>pt-BR<<`.
void read_language(const OptionValue& value, std::string& code) {
  read_value(value, {}, code);
  if (!is_language_code(code)) {
    value.fail(fmt::format("expected a language code of letters, digits, '-' and '_', such as \"pt-BR\", got \"{}\"",
                           shown(code)));
  }
}

/// Collects unknown members as faults. Returns the names that were probably meant.
std::vector<std::string> check_members(const OptionValue& value, const std::vector<std::string>& known,
                                       ConfigFaults& faults) {
  std::vector<std::string> meant;
  for (const auto& [key, member] : value.json().items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) {
      continue;
    }
    const auto nearest = nearest_name(key, known);
    if (nearest) {
      meant.push_back(*nearest);
    }
    const OptionValue unknown = value.member(key);
    faults.gather(unknown.path(), [&] {
      unknown.fail_at_key("unknown key" + (nearest ? fmt::format("; did you mean `{}`?", *nearest) : ""));
    });
  }
  return meant;
}

/// Reads a corpus and adds its files; members that are not given keep the values of `corpus`.
void read_corpus(const OptionValue& value, Corpus corpus, std::vector<CorpusFiles>& files) {
  if (!value.json().is_object()) {
    value.fail_expected("{\"source\": PATH, \"target\": PATH}");
  }
  ConfigFaults faults;
  const auto meant = check_members(value, {kMembers.begin(), kMembers.end()}, faults);
  const auto read = [&](const std::string& key, Paths& paths) {
    const bool misspelt = !value.has(key) && std::find(meant.begin(), meant.end(), key) != meant.end();
    if (!misspelt) {
      faults.gather(value.path(), [&] { read_side(value, key, paths); });
    }
  };
  read("source", corpus.source);
  read("target", corpus.target);
  if (value.has("alignment")) {
    read("alignment", corpus.alignment);
  }
  if (value.has("weight")) {
    faults.gather(value.path(), [&] { read_value(value.member("weight"), above(0), corpus.weight); });
  }
  const auto read_code = [&](const char* key, std::string& code) {
    if (value.has(key)) {
      faults.gather(value.path(), [&] { read_language(value.member(key), code); });
    }
  };
  read_code("source_language", corpus.source_language);
  read_code("target_language", corpus.target_language);
  if (value.has("markup")) {
    faults.gather(value.path(), [&] { read_value(value.member("markup"), {}, corpus.markup); });
  }
  faults.throw_lines();
  add_corpus(value, corpus, files);
}

/// Reads an override of a part of a corpus, as in --set data.train.source=FILE.
void read_part_of_corpora(const OptionValue& value, std::vector<CorpusFiles>& option) {
  std::span<const CorpusFiles> rest = option;
  Corpus corpus = rest.empty() ? Corpus() : take_corpus(rest);
  if (!rest.empty()) {
    const auto more = std::ranges::count(rest, false, &CorpusFiles::continues);
    value.fail(fmt::format("is a list of {} corpora, which can only be replaced as a whole", more + 1));
  }
  std::vector<CorpusFiles> files;
  read_corpus(value, std::move(corpus), files);
  option = std::move(files);
}

Json write_paths(const Paths& paths) {
  if (paths.size() == 1) {
    return paths.front().string();
  }
  Json list = Json::array();
  for (const auto& path : paths) {
    list.push_back(path.string());
  }
  return list;
}

}  // namespace

void read_value(const OptionValue& value, const NumberRange& range, std::vector<CorpusFiles>& option) {
  if (value.source.gives_part_of(value.path())) {
    return read_part_of_corpora(value, option);
  }
  std::vector<CorpusFiles> files;
  if (value.json().is_object()) {
    read_corpus(value, {}, files);
  } else if (value.json().is_array()) {
    ConfigFaults faults;
    for (const auto& corpus : value.elements()) {
      faults.gather(corpus.path(), [&] { read_corpus({corpus, value.source}, {}, files); });
    }
    faults.throw_lines();
  } else {
    value.fail_expected(describe_type(option, range));
  }
  option = std::move(files);
}

void read_value(const OptionValue& value, const NumberRange& range, ValidationSource& option) {
  if (!value.json().is_structured()) {
    value.fail_expected(describe_type(option, range));
  }
  if (value.json().is_object() && !value.has("source") && !value.has("target")) {
    ConfigFaults faults;
    (void)check_members(value, {"fraction", "source", "target"}, faults);
    faults.throw_lines();
    if (!value.has("fraction")) {
      value.fail_expected(describe_type(option, range));
    }
    read_value(value.member("fraction"), from_below(0, 1), option.fraction);
    option.files.clear();
    return;
  }
  const bool has_both = value.json().contains("fraction");
  if (has_both) {
    value.fail("give either files or a `fraction` of the training pairs, not both");
  }
  read_value(value, range, option.files);
  option.fraction = 0;
}

Json write_value(const std::vector<CorpusFiles>& option) {
  Json list = Json::array();
  for (std::span<const CorpusFiles> rest = option; !rest.empty();) {
    const Corpus corpus = take_corpus(rest);
    Json entry = Json::object({{"source", write_paths(corpus.source)}, {"target", write_paths(corpus.target)}});
    if (corpus.weight != 1.0) {
      entry["weight"] = corpus.weight;
    }
    if (!corpus.source_language.empty()) {
      entry["source_language"] = corpus.source_language;
    }
    if (!corpus.target_language.empty()) {
      entry["target_language"] = corpus.target_language;
    }
    if (corpus.markup != Markup::kNone) {
      entry["markup"] = to_string(corpus.markup);
    }
    if (!corpus.alignment.empty()) {
      entry["alignment"] = write_paths(corpus.alignment);
    }
    list.push_back(std::move(entry));
  }
  return list;
}

Json write_value(const ValidationSource& option) {
  return option.fraction > 0 ? Json::object({{"fraction", option.fraction}}) : write_value(option.files);
}

std::string describe_type(const std::vector<CorpusFiles>& /*option*/, const NumberRange& /*range*/) {
  return "{\"source\": PATH, \"target\": PATH} or a list of these";
}

std::string describe_type(const ValidationSource& option, const NumberRange& range) {
  return describe_type(option.files, range) + ", or {\"fraction\": NUMBER}";
}

}  // namespace translate

#include "pairs/formats/pair_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/utf8.h"
#include "corpora/corpus_reader.h"
#include "languages/language_codes.h"
#include "pairs/formats/json_pairs.h"
#include "pairs/formats/line_pairs.h"
#include "pairs/formats/packed_reader.h"
#include "pairs/formats/side_names.h"
#include "pairs/formats/table_pairs.h"
#include "pairs/formats/xml_pairs.h"

namespace translate {

namespace fs = std::filesystem;

namespace {

constexpr const char* kFormats =
    "pairs are read from two texts (train.de train.en), .tsv, .csv, .jsonl, .tmx and .xliff, each of these packed as "
    ".gz, "
    ".xz, .zst or .bz2, from .zip and .tar archives of them, and from folders of all of that";

/// A text file, or one in an archive.
struct TextPlace {
  fs::path path;
  std::string member;

  /// The name that says its format and language.
  [[nodiscard]] std::string name() const {
    return member.empty() ? path.filename().string() : fs::path(member).filename().string();
  }
  [[nodiscard]] LineReader lines() const { return {open_text(path, member), shown_path()}; }
  [[nodiscard]] fs::path shown_path() const { return member.empty() ? path : path / member; }
};

/// A name without the extensions that say how it is packed.
std::string unpacked_name(std::string name) {
  constexpr std::array<std::string_view, 5> kPacked = {".gz", ".xz", ".zst", ".bz2", ".lz4"};
  const auto lower = ascii_lower(name);
  const auto found = std::ranges::find_if(kPacked, [&](std::string_view end) { return lower.ends_with(end); });
  if (found != kPacked.end()) {
    name.resize(name.size() - found->size());
  }
  return name;
}

std::optional<PairFormat> format_of(const std::string& name) {
  static const std::map<std::string, PairFormat> formats = {
      {".tsv", PairFormat::kTsv},         {".tab", PairFormat::kTsv},          {".csv", PairFormat::kCsv},
      {".jsonl", PairFormat::kJsonLines}, {".ndjson", PairFormat::kJsonLines}, {".tmx", PairFormat::kTmx},
      {".xliff", PairFormat::kXliff},     {".xlf", PairFormat::kXliff}};
  const auto found = formats.find(ascii_lower(fs::path(unpacked_name(name)).extension().string()));
  return found == formats.end() ? std::nullopt : std::optional(found->second);
}

TableFormat table_format(PairFormat format) {
  return format == PairFormat::kTsv ? TableFormat::kTsv : TableFormat::kCsv;
}

XmlPairFormat xml_format(PairFormat format) {
  return format == PairFormat::kTmx ? XmlPairFormat::kTmx : XmlPairFormat::kXliff;
}

/// The languages in a name such as corpus.de-en.tsv or en_fr.tmx; nothing if it has none.
std::optional<LanguageCodes> languages_in_name(const std::string& name) {
  for (auto stem = fs::path(unpacked_name(name)); !stem.empty(); stem = stem.stem()) {
    const auto part = stem.has_extension() ? stem.extension().string().substr(1) : stem.string();
    for (const char between : {'-', '_'}) {
      const auto at = part.find(between);
      if (at == std::string::npos || part.find(between, at + 1) != std::string::npos) {
        continue;
      }
      const auto [source, target] = std::pair(named_language(part.substr(0, at)), named_language(part.substr(at + 1)));
      if (source && target) {
        return LanguageCodes{.source = *source, .target = *target};
      }
    }
    if (!stem.has_extension()) {
      break;
    }
  }
  return std::nullopt;
}

/// The languages of a file that names none itself: those of its name, if they are what is wanted in this order; else
/// what is wanted.
LanguageCodes languages_of_name(const TextPlace& place, const LanguageCodes& wanted) {
  const auto named = languages_in_name(place.name()).value_or(LanguageCodes{});
  return {.source = wanted.source.empty() ? named.source : wanted.source,
          .target = wanted.target.empty() ? named.target : wanted.target};
}

/// The languages among those of a file. Throws DataError if they cannot be chosen.
LanguageCodes chosen(const std::vector<std::string>& languages, const LanguageCodes& wanted, const std::string& name) {
  const auto all = fmt::format("{}", fmt::join(languages, ", "));
  const auto sides = sides_by_names(languages, wanted);
  if (!sides) {
    throw DataError(fmt::format("{}: its languages are {}, which is not what is asked for", name, all));
  }
  if (languages.size() > 2 && (wanted.source.empty() || wanted.target.empty())) {
    throw DataError(
        fmt::format("{}: it has the languages {}: choose two by --source-language and --target-language", name, all));
  }
  return sides->languages;
}

/// A file of a format that has both sides.
PairFiles both_sides(const TextPlace& place, PairFormat format, const LanguageCodes& wanted) {
  PairFiles files{.format = format, .source = place.path, .target = {}, .source_member = place.member};
  const auto name = place.shown_path().string();
  if (format == PairFormat::kTmx || format == PairFormat::kXliff) {
    files.languages = chosen(
        languages_of_xml(open_text(place.path, place.member), place.shown_path(), xml_format(format)), wanted, name);
    return files;
  }
  if (format == PairFormat::kJsonLines) {
    auto lines = place.lines();
    if (std::string line; lines.next(line)) {
      files.languages = keys_of(line, wanted, name + ":1").languages;
    }
  } else {
    TableReader rows(place.lines(), table_format(format));
    if (std::vector<std::string> row; rows.next(row)) {
      files.languages = columns_of(row, wanted, rows.place()).languages;
    }
  }
  if (files.languages.source.empty()) {
    files.languages = languages_of_name(place, wanted);
  }
  return files;
}

PairFiles two_texts(const TextPlace& source, const TextPlace& target, const LanguageCodes& languages) {
  return {.format = PairFormat::kLines,
          .source = source.path,
          .target = target.path,
          .source_member = source.member,
          .target_member = target.member,
          .languages = languages};
}

/// Texts whose names differ in their language alone, by these names.
std::vector<PairFiles> texts_by_language(const std::vector<TextPlace>& places, const LanguageCodes& wanted) {
  std::map<std::string, std::vector<const TextPlace*>> groups;
  for (const auto& place : places) {
    if (!language_of_file(unpacked_name(place.name())).empty()) {
      const auto whole = place.shown_path().parent_path() / fs::path(unpacked_name(place.name())).stem();
      groups[whole.string()].push_back(&place);
    }
  }
  std::vector<PairFiles> found;
  for (const auto& [name, texts] : groups) {
    std::vector<std::string> languages;
    std::ranges::transform(texts, std::back_inserter(languages),
                           [](const TextPlace* text) { return language_of_file(unpacked_name(text->name())); });
    // Of train.de and train.en in corpus.de-en, or in a folder de-en, German is the source.
    auto order = wanted;
    if (const auto named = languages_in_name(fs::path(name).filename().string());
        named && order.source.empty() && order.target.empty()) {
      order = *named;
    }
    if (texts.size() < 2) {
      continue;
    }
    if (texts.size() > 2 && (order.source.empty() || order.target.empty())) {
      throw DataError(fmt::format("{}: there are texts in {}: choose two by --source-language and --target-language",
                                  name, fmt::join(languages, ", ")));
    }
    if (const auto sides = sides_by_names(languages, order)) {
      found.push_back(two_texts(*texts[sides->source], *texts[sides->target], sides->languages));
    }
  }
  return found;
}

void add_all(std::vector<TextPlace> places, const LanguageCodes& wanted, std::vector<PairFiles>& found) {
  std::ranges::sort(places, {}, &TextPlace::shown_path);
  for (const auto& place : places) {
    if (const auto format = format_of(place.name())) {
      found.push_back(both_sides(place, *format, wanted));
    }
  }
  std::ranges::move(texts_by_language(places, wanted), std::back_inserter(found));
}

std::vector<TextPlace> places_in_archive(const fs::path& path) {
  std::vector<TextPlace> places;
  for (auto& member : files_in_archive(path)) {
    places.push_back({.path = path, .member = std::move(member)});
  }
  return places;
}

void add_folder(const fs::path& folder, const LanguageCodes& wanted, std::vector<PairFiles>& found) {
  std::vector<TextPlace> places;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!entry.is_regular_file()) {
      continue;
    }
    if (is_archive(entry.path())) {
      add_all(places_in_archive(entry.path()), wanted, found);
    } else {
      places.push_back({.path = entry.path(), .member = {}});
    }
  }
  add_all(std::move(places), wanted, found);
}

/// Whether a path is a text of one side, rather than a file, folder or archive with both.
bool is_one_side(const fs::path& path) {
  return fs::is_regular_file(path) && !format_of(path.filename().string()) && !is_archive(path);
}

void check_is_there(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    throw ConfigError(fmt::format("{}: there is no such file or folder", path.string()));
  }
}

}  // namespace

std::string PairFiles::name() const {
  const auto shown = [](const fs::path& path, const std::string& member) {
    return (member.empty() ? path : path / member).string();
  };
  return format == PairFormat::kLines
             ? fmt::format("{} and {}", shown(source, source_member), shown(target, target_member))
             : shown(source, source_member);
}

std::vector<PairFiles> find_pair_files(std::span<const fs::path> paths, const LanguageCodes& wanted) {
  std::ranges::for_each(paths, check_is_there);
  const auto texts = std::ranges::count_if(paths, is_one_side);
  if (texts == 2 && paths.size() == 2) {
    const TextPlace source{.path = paths[0], .member = {}};
    const TextPlace target{.path = paths[1], .member = {}};
    const LanguageCodes named{.source = language_of_file(unpacked_name(source.name())),
                              .target = language_of_file(unpacked_name(target.name()))};
    return {two_texts(source, target,
                      {.source = wanted.source.empty() ? named.source : wanted.source,
                       .target = wanted.target.empty() ? named.target : wanted.target})};
  }
  if (texts > 0) {
    const auto& text = *std::ranges::find_if(paths, is_one_side);
    throw ConfigError(fmt::format("{}: {}; {}", text.string(),
                                  texts == 1 ? "where is the other side of this text? Or what is its format?"
                                             : "only two texts can be given, the sources and their translations",
                                  kFormats));
  }
  std::vector<PairFiles> found;
  for (const auto& path : paths) {
    const auto before = found.size();
    if (fs::is_directory(path)) {
      add_folder(path, wanted, found);
    } else if (const auto format = format_of(path.filename().string()); format && !is_archive(path)) {
      found.push_back(both_sides({.path = path, .member = {}}, *format, wanted));
    } else {
      add_all(places_in_archive(path), wanted, found);
    }
    if (found.size() == before) {
      throw ConfigError(fmt::format("{}: has no pairs of sentences; {}", path.string(), kFormats));
    }
  }
  return found;
}

std::unique_ptr<PairSource> open_pairs(const PairFiles& files) {
  const TextPlace place{.path = files.source, .member = files.source_member};
  switch (files.format) {
    case PairFormat::kLines:
      return line_pairs(place.lines(), TextPlace{.path = files.target, .member = files.target_member}.lines());
    case PairFormat::kTsv:
    case PairFormat::kCsv: {
      const auto format = table_format(files.format);
      std::vector<std::string> row;
      TableReader head(place.lines(), format);
      const auto columns = head.next(row) ? columns_of(row, files.languages, head.place()) : PairColumns();
      return table_pairs(TableReader(place.lines(), format), columns);
    }
    case PairFormat::kJsonLines: {
      std::string line;
      auto head = place.lines();
      return json_pairs(place.lines(), head.next(line)
                                           ? keys_of(line, files.languages, place.shown_path().string() + ":1")
                                           : PairKeys());
    }
    case PairFormat::kTmx:
    case PairFormat::kXliff:
      return xml_pairs(open_text(files.source, files.source_member), place.shown_path(), xml_format(files.format),
                       files.languages);
  }
  throw ConfigError("a format that is unknown");
}

OpenPairs opener_of(std::vector<PairFiles> files) {
  return [files = std::move(files)] {
    std::vector<std::unique_ptr<PairSource>> sources;
    std::ranges::transform(files, std::back_inserter(sources), open_pairs);
    return sources;
  };
}

}  // namespace translate

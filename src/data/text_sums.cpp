#include "translate/data/text_sums.h"

#include <fmt/format.h>

#include <system_error>

#include "translate/config/json_view.h"
#include "translate/core/error.h"
#include "translate/core/file.h"

namespace translate {
namespace {

TextSum sum_of(const TextFile& file) { return {.path = file.path, .size = file.size, .crc32 = file.crc32}; }

Json to_json(const TextSum& sum) { return {{"path", sum.path.string()}, {"size", sum.size}, {"crc32", sum.crc32}}; }

Json to_json(const std::vector<CorpusSum>& corpora) {
  Json json = Json::array();
  for (const auto& corpus : corpora) {
    json.push_back({{"source", to_json(corpus.source)}, {"target", to_json(corpus.target)}});
  }
  return json;
}

TextSum sum_from(const JsonView& json) {
  return {.path = json.member("path").text(),
          .size = json.member("size").integer<std::uint64_t>(),
          .crc32 = json.member("crc32").integer<std::uint32_t>()};
}

std::vector<CorpusSum> corpora_from(const JsonView& json) {
  std::vector<CorpusSum> corpora;
  for (const auto& each : json.elements()) {
    corpora.push_back({.source = sum_from(each.member("source")), .target = sum_from(each.member("target"))});
  }
  return corpora;
}

}  // namespace

std::vector<CorpusSum> sums_of(const CheckedText& text) {
  std::vector<CorpusSum> corpora;
  for (const auto& corpus : text.corpora) {
    corpora.push_back({.source = sum_of(corpus.source), .target = sum_of(corpus.target)});
  }
  return corpora;
}

std::optional<TextSum> sum_of_file(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  const auto size = std::filesystem::file_size(path, error);
  if (error) return std::nullopt;
  try {
    return TextSum{
        .path = std::filesystem::absolute(path).lexically_normal(), .size = size, .crc32 = crc32_of_file(path)};
  } catch (const RuntimeError&) {
    return std::nullopt;
  }
}

std::vector<CorpusSum> sums_of_files(const std::vector<CorpusFiles>& files) {
  std::vector<CorpusSum> corpora;
  for (const auto& corpus : files) {
    auto source = sum_of_file(corpus.source);
    auto target = sum_of_file(corpus.target);
    if (!source || !target) return {};
    corpora.push_back({.source = *std::move(source), .target = *std::move(target)});
  }
  return corpora;
}

std::string text_sums_to_json(const TextSums& sums) {
  const Json json = {
      {"train", to_json(sums.train)}, {"validation", to_json(sums.validation)}, {"test", to_json(sums.test)}};
  try {
    return json.dump(/*indent=*/2) + "\n";
  } catch (const Json::type_error& error) {
    throw RuntimeError(
        fmt::format("the paths of the text cannot be written, one is not valid UTF-8: {}", error.what()));
  }
}

TextSums text_sums_from_json(const std::string& json, const std::string& name) {
  try {
    const Json root = parse_json(json);
    const JsonView sums(root);
    return {.train = corpora_from(sums.member("train")),
            .validation = corpora_from(sums.member("validation")),
            .test = corpora_from(sums.member("test"))};
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: expected sizes and CRC-32 of the run's text files: {}", name, error.what()));
  }
}

}  // namespace translate

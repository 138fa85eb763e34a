#include "translate/data/text_sums.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <system_error>

#include "translate/core/error.h"
#include "translate/core/file.h"

namespace translate {
namespace {

using Json = nlohmann::ordered_json;

TextSum sum_of(const TextFile& file) { return {.path = file.path, .size = file.size, .crc32 = file.crc32}; }

Json to_json(const TextSum& sum) { return {{"path", sum.path.string()}, {"size", sum.size}, {"crc32", sum.crc32}}; }

Json to_json(const std::vector<CorpusSum>& corpora) {
  Json json = Json::array();
  for (const auto& corpus : corpora) {
    json.push_back({{"source", to_json(corpus.source)}, {"target", to_json(corpus.target)}});
  }
  return json;
}

TextSum sum_from(const Json& json) {
  return {.path = json.at("path").get<std::string>(),
          .size = json.at("size").get<std::uint64_t>(),
          .crc32 = json.at("crc32").get<std::uint32_t>()};
}

std::vector<CorpusSum> corpora_from(const Json& json) {
  std::vector<CorpusSum> corpora;
  for (const auto& each : json) {
    corpora.push_back({.source = sum_from(each.at("source")), .target = sum_from(each.at("target"))});
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
    const auto root = Json::parse(json);
    return {.train = corpora_from(root.at("train")),
            .validation = corpora_from(root.at("validation")),
            .test = corpora_from(root.at("test"))};
  } catch (const Json::exception& error) {
    throw DataError(fmt::format("{}: expected sizes and CRC-32 of the run's text files: {}", name, error.what()));
  }
}

}  // namespace translate

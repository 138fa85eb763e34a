#include "checkpoint/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <utility>

#include "checkpoint/file_sums.h"
#include "config/enum_names.h"
#include "config/json.h"
#include "core/cache_folder.h"
#include "core/error.h"
#include "core/file.h"
#include "core/foreign_text.h"
#include "core/output_file.h"
#include "core/regular_file.h"

namespace translate {

JsonValue parse_json_object(std::string_view text, const std::filesystem::path& file) {
  Json json;
  try {
    json = JsonDocument::parse(std::string(text), file.string()).root();
  } catch (const ConfigError& error) {  // the same error, blamed on the checkpoint in place of the user
    throw CheckpointError(fmt::format("{}: damaged", error.what()));
  }
  JsonValue value(std::move(json), {.name = file.string() + ": damaged", .raise = &throw_error<CheckpointError>});
  if (!value.json().is_object()) {
    value.fail_expected("an object");
  }
  return value;
}

std::string json_to_text(const Json& json, const std::filesystem::path& file) {
  try {
    return json.dump();
  } catch (const Json::exception& error) {
    throw CheckpointError(fmt::format("{}: cannot be written as JSON: {}", file.string(), error.what()));
  }
}

void require_format(const JsonValue& fields, std::int64_t oldest, std::int64_t newest,
                    const std::filesystem::path& file) {
  const std::int64_t format = fields.member("format").integer(at_least(0));
  if (format < oldest || format > newest) {
    const auto known =
        oldest == newest ? fmt::format("format {}", newest) : fmt::format("formats {} to {}", oldest, newest);
    throw CheckpointError(fmt::format("{}: format {} is unknown: this version reads {}; use the version that wrote it",
                                      file.string(), format, known));
  }
}

using Json = nlohmann::ordered_json;

namespace {

constexpr std::int64_t kFormat = 1;
constexpr const char* kOwnChecksum = "manifest_crc32";
constexpr std::array<std::string_view, 2> kTokenizers = {kSourceTokenizer, kTargetTokenizer};
constexpr std::array<std::string_view, 2> kTokenizerExtensions = {".spm", ".json"};

bool is_tokenizer_file(std::string_view name) {
  return std::ranges::any_of(kTokenizers, [&](std::string_view tokenizer) {
    return std::ranges::any_of(kTokenizerExtensions, [&](std::string_view extension) {
      return name == fmt::format("{}{}", tokenizer, extension);
    });
  });
}

/// Whether inference reads the file.
bool is_model_file(std::string_view name) {
  return name == kModelFile || name == kConfigFile || name == kSourceWordsFile || is_tokenizer_file(name);
}

Json number_or_null(const std::optional<double>& number) {
  return number && std::isfinite(*number) ? Json(*number) : Json(nullptr);
}

Json manifest_to_json(const Manifest& manifest) {
  Json files = Json::object();
  for (const auto& [name, digest] : manifest.files) {
    files[name] = {{"size", digest.size}, {"crc32", digest.crc32}};
  }
  Json json = {
      {"format", kFormat},
      {"step", manifest.step},
      {"metric", to_string(manifest.metric)},
      {"score", number_or_null(manifest.score)},
      {"best_score", manifest.best ? number_or_null(manifest.best->score) : Json(nullptr)},
      {"best_step", manifest.best ? Json(manifest.best->step) : Json(nullptr)},
  };
  if (manifest.loss && std::isfinite(*manifest.loss)) {
    json["loss"] = *manifest.loss;
  }
  if (manifest.confidence) {
    Json& confidence = json["confidence"];
    for (const auto& bin : manifest.confidence->bins()) {
      confidence["log_probability"].push_back(bin.log_probability);
      confidence["share"].push_back(bin.share);
    }
  }
  json["files"] = files;
  return json;
}

/// Reads two lists of the same length: the bins' log-probabilities, which rise, and their shares, which never fall.
Confidence read_confidence(const JsonValue& value) {
  value.allow_keys({"log_probability", "share"}, kUnknownField);
  const auto places = value.member("log_probability").elements();
  const auto shares = value.member("share").elements(places.size());
  if (places.empty()) {
    value.fail_expected("at least one bin");
  }
  std::vector<Confidence::Bin> bins;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto range = bins.empty() ? NumberRange() : at_least(bins.back().log_probability);
    const double least_share = bins.empty() ? 0.0 : bins.back().share;
    bins.push_back({.log_probability = places[i].number(range), .share = shares[i].number(between(least_share, 1.0))});
  }
  return Confidence(std::move(bins));
}

/// The checksum covers the compact text of all other fields in their order, so that spacing does not matter.
void check_own_checksum(const JsonValue& fields, const std::filesystem::path& file) {
  const std::int64_t expected = fields.member(kOwnChecksum).integer(at_least(0));
  Json rest = fields.json();
  rest.erase(kOwnChecksum);
  const std::int64_t found = crc32(json_to_text(rest, file));
  if (found != expected) {
    throw CheckpointError(fmt::format("{}: damaged or edited: its content has CRC-32 {:08x}, it says {:08x} itself",
                                      file.string(), found, expected));
  }
}

BestMetric read_metric(const JsonValue& value) {
  const auto metric = from_string<BestMetric>(value.text());
  if (!metric || *metric == BestMetric::kAuto) {
    value.fail_expected("bleu, chrf or loss");
  }
  return *metric;
}

/// Checks for the weights, the configuration and one file of each tokenizer.
void check_model_files(const std::map<std::string, FileDigest>& files, const std::filesystem::path& file) {
  for (const char* name : {kModelFile, kConfigFile}) {
    if (!files.contains(name)) {
      throw CheckpointError(fmt::format("{}: damaged: \"files.{}\" is missing", file.string(), name));
    }
  }
  for (const std::string_view tokenizer : kTokenizers) {
    const auto found = std::ranges::count_if(kTokenizerExtensions, [&](std::string_view extension) {
      return files.contains(fmt::format("{}{}", tokenizer, extension));
    });
    if (found != 1) {
      throw CheckpointError(fmt::format("{0}: damaged: expected \"files.{1}.spm\" or \"files.{1}.json\", found {2}",
                                        file.string(), tokenizer, found == 0 ? "neither" : "both"));
    }
  }
}

std::map<std::string, FileDigest> read_digests(const JsonValue& fields, const std::filesystem::path& file) {
  std::map<std::string, FileDigest> files;
  for (const auto& [name, digest] : fields.members()) {
    if (std::filesystem::path(name).filename() != name || name == "." || name == "..") {
      digest.fail("not the name of a file");
    }
    digest.allow_keys({"size", "crc32"}, kUnknownField);
    files[name] = {.size = static_cast<std::uint64_t>(digest.member("size").integer(at_least(0))),
                   .crc32 = digest.member("crc32").integer<std::uint32_t>()};
  }
  check_model_files(files, file);
  return files;
}

constexpr const char* kAdvice =
    "copy the checkpoint again from a place where it is whole, or use another one (translate-infer --list)";

void verify_size(const std::filesystem::path& path, const FileDigest& expected) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) {
    throw CheckpointError(
        fmt::format("{}: missing, though the checkpoint's {} names it; {}", path.string(), kManifestFile, kAdvice));
  }
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) {
    throw CheckpointError(fmt::format("{}: cannot be read: {}", path.string(), error.message()));
  }
  if (size != expected.size) {
    throw CheckpointError(fmt::format("{}: damaged: {} bytes, expected {} by the checkpoint's {}; {}", path.string(),
                                      size, expected.size, kManifestFile, kAdvice));
  }
}

/// Returns whether the remembered sum of the file, or its absence, is enough.
bool is_known(const StableFile& file, const FileDigest& expected, Verify verify) {
  if (verify != Verify::kInference && verify != Verify::kListing) {
    return false;
  }
  const auto sum = remembered_sum(file, user_cache_folder());
  // A sum that differs is computed again: the record may be damaged instead of the file.
  if (sum) {
    return *sum == expected.crc32;
  }
  return verify == Verify::kListing && file.size() >= kRememberedSize;
}

void verify_sum(const StableFile& file, const FileDigest& expected, Verify verify) {
  if (is_known(file, expected, verify)) {
    return;
  }
  const std::uint32_t found = compute_sum(file, user_cache_folder());
  if (found == expected.crc32) {
    return;
  }
  throw CheckpointError(
      fmt::format("{}: damaged: its bytes have CRC-32 {:08x}, expected {:08x} by the checkpoint's {}; {}",
                  file.path().string(), found, expected.crc32, kManifestFile, kAdvice));
}

FileStamp verified_stamp(const std::filesystem::path& path, const FileDigest& expected, Verify verify) {
  try {
    const StableFile file(path);
    verify_sum(file, expected, verify);
    return file.stamp();
  } catch (const RuntimeError& error) {
    throw CheckpointError(error.what());  // it cannot be read, or another program writes it
  }
}

}  // namespace

void write_manifest(const std::filesystem::path& folder, const Manifest& manifest) {
  const std::filesystem::path file = folder / kManifestFile;
  Json json = manifest_to_json(manifest);
  json[kOwnChecksum] = crc32(json_to_text(json, file));
  write_file_synced(file, json.dump(/*indent=*/2) + "\n");
}

Manifest read_manifest(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kManifestFile;
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    throw CheckpointError(fmt::format("{}: missing: {} is not a whole checkpoint", file.string(), folder.string()));
  }
  const auto fields = parse_json_object(read_regular_file(file), file);
  require_format(fields, kFormat, kFormat, file);  // before the checksum: another format may have none
  check_own_checksum(fields, file);
  fields.allow_keys(
      {"format", "step", "metric", "score", "loss", "best_score", "best_step", "confidence", "files", kOwnChecksum},
      kUnknownField);
  Manifest manifest;
  manifest.step = fields.member("step").integer(at_least(0));
  manifest.metric = read_metric(fields.member("metric"));
  const auto score = fields.member("score");
  if (!score.json().is_null()) {
    manifest.score = score.number();
  }
  if (fields.has("loss")) {
    manifest.loss = fields.member("loss").number();
  }
  const auto best_score = fields.member("best_score");
  const auto best_step = fields.member("best_step");  // both are null if nothing was validated
  if (!best_score.json().is_null()) {
    manifest.best = {best_score.number(), best_step.integer(at_least(0))};
  }
  (void)best_step.json();
  if (fields.has("confidence")) {
    manifest.confidence = read_confidence(fields.member("confidence"));
  }
  manifest.files = read_digests(fields.member("files"), file);
  return manifest;
}

std::string tokenizer_file(const Manifest& manifest, const std::string& tokenizer) {
  for (const std::string_view extension : kTokenizerExtensions) {
    if (const auto entry = manifest.files.find(fmt::format("{}{}", tokenizer, extension));
        entry != manifest.files.end()) {
      return entry->first;
    }
  }
  throw CheckpointError(fmt::format("a {} without a {} tokenizer", kManifestFile, tokenizer));
}

FileStamps verify_files(const std::filesystem::path& folder, const Manifest& manifest, Verify verify) {
  FileStamps stamps;
  const bool model_only = verify != Verify::kSizes && verify != Verify::kFull;
  for (const auto& [name, digest] : manifest.files) {
    std::error_code ignored;
    const bool was_deleted = name == kSourceWordsFile && !std::filesystem::exists(folder / name, ignored);
    if (was_deleted || (model_only && !is_model_file(name))) {
      continue;
    }
    verify_size(folder / name, digest);
    if (verify != Verify::kSizes) {
      stamps[name] = verified_stamp(folder / name, digest, verify);
    }
  }
  return stamps;
}

void verify_lone_file(const StableFile& file) {
  const auto& path = file.path();
  std::optional<Manifest> manifest;
  try {
    manifest = read_manifest(folder_of(path));
  } catch (const Error&) {
    return;  // not in a checkpoint, or in one whose manifest is no longer readable
  }
  const auto entry = manifest->files.find(path.filename().string());
  if (entry == manifest->files.end()) {
    return;
  }
  verify_size(path, entry->second);
  verify_sum(file, entry->second, Verify::kInference);
}

std::optional<ValidationScore> Manifest::validation() const {
  if (!score) {
    return std::nullopt;
  }
  return ValidationScore{.score = *score, .step = step, .loss = loss};
}

bool is_better(BestMetric metric, const ValidationScore& score, const ValidationScore& other) {
  if (score.score == other.score) {
    // An unknown loss counts as the lowest, so that sorting is consistent and an older best score stays the best.
    constexpr double kUnknown = -std::numeric_limits<double>::infinity();
    return score.loss.value_or(kUnknown) < other.loss.value_or(kUnknown);
  }
  return metric == BestMetric::kLoss ? score.score < other.score : score.score > other.score;
}

}  // namespace translate

#include "translate/text/get_or_build_tokenizer.h"

#include <fmt/format.h>

#include <string_view>
#include <system_error>

#include "translate/core/error.h"
#include "translate/core/file.h"
#include "translate/core/logging.h"
#include "translate/text/tokenizer_training.h"

namespace translate {

namespace {

/// All that the models depend on, one setting a line.
std::string describe_inputs(const TokenizerOptions& options, const std::string& text) {
  return fmt::format(
      "type {}\nvocab_size {}\nshared {}\ncharacter_coverage {}\nbyte_fallback {}\nnormalization {}\n{}text {}\n",
      sentencepiece_name(options.type), options.vocab_size, options.shared, options.character_coverage,
      options.byte_fallback, sentencepiece_name(options.normalization),
      options.pretokenized ? "pretokenized\n" : "",  // models made before there was this option stay good
      text);
}

std::string describe_models(std::string_view source, std::string_view target) {
  return fmt::format("source_model {:08x}\ntarget_model {:08x}\n", crc32(source), crc32(target));
}

struct CachePaths {
  explicit CachePaths(const std::filesystem::path& folder)
      : source(folder / "source.spm"), target(folder / "target.spm"), fingerprint(folder / "fingerprint.txt") {}

  std::filesystem::path source;
  std::filesystem::path target;
  std::filesystem::path fingerprint;
};

/// The cached models, or nothing where they are not there, not whole, or of other inputs.
std::optional<TokenizerPair> read_cache(const CachePaths& paths, const std::string& inputs) {
  std::error_code ignored;
  for (const auto& path : {paths.source, paths.target, paths.fingerprint}) {
    if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  }
  std::string source = read_file(paths.source);
  std::string target = read_file(paths.target);
  if (read_file(paths.fingerprint) != inputs + describe_models(source, target)) return std::nullopt;
  return TokenizerPair{Tokenizer::from_serialized(std::move(source), paths.source.string()),
                       Tokenizer::from_serialized(std::move(target), paths.target.string())};
}

/// The fingerprint, which names the checksums of both models, is written last: a crash before leaves a mismatch.
void write_cache(const CachePaths& paths, const std::string& inputs, const TokenizerPair& pair) {
  make_folder(paths.source.parent_path());
  write_file_atomically(paths.source, pair.source.serialized());
  write_file_atomically(paths.target, pair.target.serialized());
  write_file_atomically(paths.fingerprint,
                        inputs + describe_models(pair.source.serialized(), pair.target.serialized()));
}

TokenizerPair build(const TokenizerOptions& options, const TokenizerText& text) {
  const std::string type = sentencepiece_name(options.type);
  if (options.shared) {
    log_info(
        fmt::format("tokenizer: training one {} model on {} sentences", type, text.source.size() + text.target.size()));
    Tokenizer tokenizer = train_tokenizer(options, {text.source, text.target});
    return {tokenizer, tokenizer};
  }
  log_info(fmt::format("tokenizer: training two {} models on {} sentences each", type, text.source.size()));
  Tokenizer source_tokenizer = train_tokenizer(options, {text.source});
  return {std::move(source_tokenizer), train_tokenizer(options, {text.target})};
}

}  // namespace

TokenizerPair load_ready_tokenizers(const TokenizerOptions& options) {
  const bool both = !options.source_model.empty() && !options.target_model.empty();
  if (!both && !options.shared) {
    throw ConfigError(fmt::format("tokenizer.{} is missing: give both models, or one with \"shared\": true",
                                  options.source_model.empty() ? "source_model" : "target_model"));
  }
  const auto& source_path = options.source_model.empty() ? options.target_model : options.source_model;
  const auto& target_path = options.target_model.empty() ? options.source_model : options.target_model;
  Tokenizer source = Tokenizer::load(source_path);
  Tokenizer target = source_path == target_path ? source : Tokenizer::load(target_path);
  log_info(fmt::format("tokenizer: using {} ({} subwords) and {} ({} subwords)", source_path.string(),
                       source.vocab_size(), target_path.string(), target.vocab_size()));
  return {std::move(source), std::move(target)};
}

std::optional<TokenizerPair> built_tokenizers(const std::filesystem::path& cache_dir) {
  const CachePaths paths(cache_dir);
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(paths.source, ignored) ||
      !std::filesystem::is_regular_file(paths.target, ignored)) {
    return std::nullopt;
  }
  return TokenizerPair{Tokenizer::load(paths.source), Tokenizer::load(paths.target)};
}

TokenizerPair get_or_build_tokenizer(const TokenizerOptions& options, const std::string& text,
                                     const std::function<TokenizerText()>& read_text,
                                     const std::filesystem::path& cache_dir,
                                     const std::function<void()>& before_writing) {
  if (!options.source_model.empty() || !options.target_model.empty()) return load_ready_tokenizers(options);
  const CachePaths paths(cache_dir);
  const std::string inputs = describe_inputs(options, text);
  if (auto cached = read_cache(paths, inputs)) {
    log_info(fmt::format("tokenizer: using the {} model in {} again (same text and settings)",
                         sentencepiece_name(options.type), cache_dir.string()));
    return *std::move(cached);
  }
  TokenizerPair pair = build(options, read_text());
  if (before_writing) before_writing();
  write_cache(paths, inputs, pair);
  log_info(fmt::format("tokenizer: {} source and {} target subwords, written to {}", pair.source.vocab_size(),
                       pair.target.vocab_size(), cache_dir.string()));
  return pair;
}

}  // namespace translate

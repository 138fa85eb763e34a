#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/options.h"
#include "text/tokenizer.h"

namespace translate {

/// Trains a tokenizer on sentences in memory (`texts` one after the other): a word-level one (see train_word_level), or
/// a SentencePiece model with the ids unk 0, sos 1, eos 2, pad 3, then bytes if byte_fallback is on. The same text and
/// options always give the same model.
///
/// If the text yields fewer than options.vocab_size subwords, all are used, for SentencePiece models with a warning.
/// `identity` normalisation keeps every space; the others drop leading, trailing and repeated ones. Default-ignorable
/// characters are removed or kept as options.of_ignorable says. SentencePiece runs in a child process (see
/// in_child_process). Throws DataError if there is no text, ConfigError if vocab_size cannot
/// hold the text's characters, RuntimeError if memory runs out.
///
/// `tags` become subwords of their own, after the special ones. Only Tokenizer finds them, at the head of a text, and
/// decoding skips them: in SentencePiece models they are control symbols.
///
/// `symbols` (without spaces and commas) become subwords of their own, too, after the tags. They are found wherever a
/// text has them, nothing is merged with them, and decoding gives them back. Only SentencePiece models have them.
[[nodiscard]] Tokenizer train_tokenizer(const TokenizerOptions& options,
                                        const std::vector<std::span<const std::string>>& texts,
                                        const std::vector<std::string>& tags = {},
                                        const std::vector<std::string>& symbols = {});

/// The files of existing models.
struct ModelPaths {
  std::filesystem::path source;
  std::filesystem::path target;
};

/// Returns the files that options.source_model and target_model name: one alone serves both sides.
[[nodiscard]] ModelPaths ready_models(const TokenizerOptions& options);

/// Loads the existing models that options.source_model and target_model name; one alone serves both sides if
/// options.shared. They keep their own normalisation, but remove default-ignorable characters unless options.ignorable
/// says otherwise. Throws as Tokenizer::load does, and ConfigError if one of two is missing.
[[nodiscard]] TokenizerPair load_ready_tokenizers(const TokenizerOptions& options);

/// Sentences to build tokenizers from.
struct TokenizerText {
  std::vector<std::string> source;
  std::vector<std::string> target;
};

/// Trains the tokenizers of both languages (one vocabulary for both if options.shared); the source's begin with sos or
/// not as options.source_sos says, and the target's is normalised as options.of_targets says. Both have the symbols.
/// Throws as train_tokenizer does. Logs its actions.
[[nodiscard]] TokenizerPair train_tokenizers(const TokenizerOptions& options, const TokenizerText& text,
                                             const std::vector<std::string>& tags = {},
                                             const std::vector<std::string>& symbols = {});

/// What tokenizers are built from.
struct TokenizerInputs {
  std::string text;                          ///< identifies the text: one line, equal for equal content
  std::function<TokenizerText()> read_text;  ///< returns its sentences; called only if models are built
  std::vector<std::string> tags = {};        ///< language tags of the sources, such as `>>fr<<`
  std::vector<std::string> symbols = {};     ///< subwords of both sides, see train_tokenizer
};

/// Loads the models that get_or_build_tokenizer() has written to `cache_dir`, for any text and settings; nothing unless
/// both exist. Throws as Tokenizer::load does.
[[nodiscard]] std::optional<TokenizerPair> built_tokenizers(const std::filesystem::path& cache_dir);

/// Returns the tokenizers of a training: existing models if options.source_model and target_model name them (one alone
/// serves both sides if options.shared); else those in `cache_dir` if they are intact and were built from the same
/// inputs and settings; else it builds them and writes them there, with fingerprint.txt, as source.spm and target.spm,
/// or as source.json and target.json if they are word-level ones.
/// `before_writing`, if given, is called before they are written, and may throw. A crash at any moment leaves nothing
/// that is reused wrongly. Logs its actions. Throws as Tokenizer::load and train_tokenizer do, ConfigError if one of
/// two existing models is missing, and RuntimeError if `cache_dir` cannot be written.
[[nodiscard]] TokenizerPair get_or_build_tokenizer(const TokenizerOptions& options, const TokenizerInputs& inputs,
                                                   const std::filesystem::path& cache_dir,
                                                   const std::function<void()>& before_writing = {});

}  // namespace translate

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

/// SentencePiece's names: "bpe", "unigram", "word", "char"; "nmt_nfkc", "nfkc", "identity".
[[nodiscard]] std::string sentencepiece_name(TokenizerType type);
[[nodiscard]] std::string sentencepiece_name(Normalization normalization);

/// Trains a SentencePiece model on sentences in memory (`texts` one after the other). Ids: unk 0, sos 1, eos 2, pad 3,
/// then bytes where byte_fallback is on. The same text and options always give the same model.
///
/// Where the text gives fewer than options.vocab_size subwords, all that it gives are taken, with a warning. `identity`
/// normalisation keeps every space; the others drop leading, trailing and repeated ones.
/// SentencePiece runs in a child process (see in_child_process). Throws DataError where there is no text, ConfigError
/// where vocab_size cannot hold the text's characters, RuntimeError where memory runs out.
[[nodiscard]] Tokenizer train_tokenizer(const TokenizerOptions& options,
                                        const std::vector<std::span<const std::string>>& texts);

/// One tokenizer a language; two copies of one where it is shared.
struct TokenizerPair {
  Tokenizer source;
  Tokenizer target;
};

/// The ready models that options.source_model and target_model name; either one alone serves both sides when
/// options.shared. Throws as Tokenizer::load does, and ConfigError where one of two is missing.
[[nodiscard]] TokenizerPair load_ready_tokenizers(const TokenizerOptions& options);

/// Sentences to build tokenizers from.
struct TokenizerText {
  std::vector<std::string> source;
  std::vector<std::string> target;
};

/// The models that get_or_build_tokenizer() has written to `cache_dir`, of whatever text and settings; nothing where
/// they are not both there. Throws as Tokenizer::load does.
[[nodiscard]] std::optional<TokenizerPair> built_tokenizers(const std::filesystem::path& cache_dir);

/// The tokenizers of a training: ready models where options.source_model and target_model name them (either one alone
/// serves both sides when options.shared); else the ones in `cache_dir` if they were built from the same text and
/// settings and are whole; else they are built and written there as source.spm, target.spm and fingerprint.txt.
/// `text` identifies the text (one line, equal for equal content); `read_text` gives its sentences and is called only
/// where models are built; `before_writing`, where given, is called before they are written, and may throw. Whatever
/// moment a crash comes at, what is used again is right. Logs what was done. Throws as Tokenizer::load and
/// train_tokenizer do, ConfigError where one of two ready models is missing, and RuntimeError where `cache_dir` cannot
/// be written.
[[nodiscard]] TokenizerPair get_or_build_tokenizer(const TokenizerOptions& options, const std::string& text,
                                                   const std::function<TokenizerText()>& read_text,
                                                   const std::filesystem::path& cache_dir,
                                                   const std::function<void()>& before_writing = {});

}  // namespace translate

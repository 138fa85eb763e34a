#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "interop/marian/marian_options.h"

namespace translate::tools {

/// The files of a model as Firefox and Bergamot have it, a folder without decoder.yml: `model.enfr.intgemm.alphas.bin`
/// or an .npz file, `vocab.enfr.spm`, or `srcvocab.enfr.spm` and `trgvocab.enfr.spm`, and perhaps
/// `lex.50.50.enfr.s2t.bin`. Each may be packed by gzip (`.gz`).
struct FirefoxFiles {
  MarianDecoder decoder;        ///< the files, by their names without ".gz", and Firefox's search
  std::string source_language;  ///< "en" of "model.enfr.…"; empty: the names do not tell
  std::string target_language;
};

/// Tells whether a path is a folder with one of these weights and one of these vocabularies, whether or not they can be
/// used.
[[nodiscard]] bool is_firefox_model(const std::filesystem::path& path);

/// Finds the files. Throws CheckpointError if the folder has the files of several models, lacks a vocabulary of one
/// side, or has them packed by zstd.
[[nodiscard]] FirefoxFiles find_firefox_files(const std::filesystem::path& folder);

}  // namespace translate::tools

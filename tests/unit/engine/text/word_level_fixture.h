#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "core/file.h"
#include "support/folders.h"

namespace translate {

/// A file of tests/golden/text (see tests/golden/README.md).
inline std::string golden_text_file(const std::string& name) {
  return read_file(project_folder() / "tests/golden/text" / name);
}

/// A word-level tokenizer's JSON as small as can be; a test changes what it is about.
inline nlohmann::json small_word_level_json() {
  return nlohmann::json::parse(R"({
    "version": "1.0", "truncation": null, "padding": null, "added_tokens": [
      {"id": 0, "content": "[UNK]", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false,
       "special": true},
      {"id": 2, "content": "[SOS]", "special": true}],
    "normalizer": null, "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null, "decoder": null,
    "model": {"type": "WordLevel", "unk_token": "[UNK]",
              "vocab": {"[UNK]": 0, "[PAD]": 1, "[SOS]": 2, "[EOS]": 3, "the": 4, "cat": 5, ".": 6, "[MASK]": 7}}
  })");
}

/// Names a parametrised test by its language.
inline std::string language_name(const ::testing::TestParamInfo<std::string>& language) { return language.param; }

}  // namespace translate

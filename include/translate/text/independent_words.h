#pragma once

#include <string_view>

namespace translate {

/// True where a SentencePiece model, given as its file's bytes, is known to cut a text into the pieces of its words,
/// one word after the other: a BPE model with one of SentencePiece's own normalisations (none of whose rules reaches
/// past a space), whose pieces hold no space but as their first character. Words are what stands between single spaces.
/// False where it is not known: other kinds of model, symbols and rules of the user's own, byte fallback.
[[nodiscard]] bool words_are_independent(std::string_view serialized_model);

}  // namespace translate

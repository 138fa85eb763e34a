#pragma once

#include <memory>

#include "text/tokenizer.h"

namespace translate {

/// Returns `model`, a SentencePiece model, if its own rules remove default-ignorable characters; otherwise one that
/// takes them out of a text before `model` sees it, all but the joiners that its vocabulary has and that stand behind
/// characters that need them (see without_ignorable). Its serialized() is a model with such rules of its own (see
/// removing_ignorable), compiled when it is first asked for: that takes some tenths of a second, which those who only
/// translate do not wait for. The two differ for a letter and its mark with an invisible character between them, which
/// only this one composes. A tokenizer of another kind is returned as it is.
[[nodiscard]] std::shared_ptr<const TokenizerModel> filtering_ignorable(std::shared_ptr<const TokenizerModel> model);

}  // namespace translate

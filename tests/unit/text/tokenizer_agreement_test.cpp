#include "text/tokenizer_agreement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"
#include "unit/text/sample_text.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class TokenizersOfWeights : public TemporaryFolderTest {
 protected:
  [[nodiscard]] std::filesystem::path write(const std::string& name, const Tokenizer& tokenizer) const {
    write_text(folder_ / name, tokenizer.serialized());
    return folder_ / name;
  }
  [[nodiscard]] std::string error() const {
    return testing::error_of<ConfigError>([&] { check_tokenizers_of_weights(options_, weights_, "runs/a/best"); });
  }

  TokenizerPair weights_{train_tokenizer(small_tokenizer(TokenizerType::kBpe), {sample_sentences(200, 1)}),
                         train_tokenizer(small_tokenizer(TokenizerType::kBpe), {sample_sentences(200, 2)})};
  TokenizerOptions options_;
};

TEST_F(TokenizersOfWeights, MayBeNamedUnderAnyPathOrNotAtAll) {
  EXPECT_NO_THROW(check_tokenizers_of_weights(options_, weights_, "runs/a/best"));
  options_.source_model = write("a.spm", weights_.source);
  options_.target_model = write("b.spm", weights_.target);
  EXPECT_NO_THROW(check_tokenizers_of_weights(options_, weights_, "runs/a/best"));
}

TEST_F(TokenizersOfWeights, AreNotReplacedByOthersInSilence) {
  options_.source_model = write("a.spm", weights_.source);
  options_.target_model = write("b.spm", weights_.source);
  EXPECT_THAT(error(), AllOf(HasSubstr("--init runs/a/best: the target tokenizer of these weights is not " +
                                       options_.target_model.string()),
                             HasSubstr("tokenizer.target_model")));
  options_.target_model.clear();
  options_.shared = true;
  EXPECT_THAT(error(), AllOf(HasSubstr("the target tokenizer"), HasSubstr("tokenizer.source_model names")));
}

}  // namespace
}  // namespace translate

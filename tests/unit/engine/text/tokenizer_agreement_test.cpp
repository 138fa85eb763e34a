#include "text/tokenizer_agreement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/file.h"
#include "support/error_of.h"
#include "support/temporary_folder.h"
#include "text/tokenizer.h"
#include "text/tokenizer_training.h"
#include "unit/engine/text/sample_text.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class TokenizersOfWeightsTest : public TemporaryFolderTest {
 protected:
  [[nodiscard]] std::filesystem::path write(const std::string& name, const Tokenizer& tokenizer) const {
    write_file_synced(folder_ / name, tokenizer.serialized());
    return folder_ / name;
  }
  void check() const {
    check_tokenizers_of_weights(options_, {.tokenizers = weights_, .options = own_, .origin = "runs/a/best"});
  }
  [[nodiscard]] std::string error() const {
    return testing::error_of<ConfigError>([&] { check(); });
  }

  TokenizerPair weights_{train_tokenizer(small_tokenizer(TokenizerType::kBpe), {sample_sentences(200, 1)}),
                         train_tokenizer(small_tokenizer(TokenizerType::kBpe), {sample_sentences(200, 2)})};
  TokenizerOptions options_;
  TokenizerOptions own_;
};

TEST_F(TokenizersOfWeightsTest, MayBeNamedUnderAnyPathOrNotAtAll) {
  EXPECT_NO_THROW(check());
  options_.shared = false;
  options_.source_model = write("a.spm", weights_.source);
  options_.target_model = write("b.spm", weights_.target);
  EXPECT_NO_THROW(check());
}

TEST_F(TokenizersOfWeightsTest, MayBeNamedByLostFilesOfTheirOwnConfiguration) {
  options_.source_model = folder_ / "lost.spm";
  options_.shared = true;
  EXPECT_THROW(check(), DataError);
  own_ = options_;
  EXPECT_NO_THROW(check());
}

TEST_F(TokenizersOfWeightsTest, AreNotReplacedByOthersInSilence) {
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

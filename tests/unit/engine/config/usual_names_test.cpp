#include "config/usual_names.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "config/key_table.h"

namespace translate {
namespace {

TEST(UsualNames, AreThoseOfKeys) {
  for (const std::string name :
       {"amp", "batch_size", "beam", "clip_norm", "early_stopping", "epochs", "ffn_dim", "hidden_size", "layers", "lr",
        "lr_scheduler", "nhead", "output_dir", "src_lang", "train_steps", "update_freq", "vocabulary_size", "warmup"}) {
    const auto key = key_of_usual_name(name);
    ASSERT_TRUE(key) << name;
    EXPECT_NE(find_key(std::string(*key)), nullptr) << *key;
    EXPECT_EQ(find_key(name), nullptr) << name;
  }
  EXPECT_EQ(key_of_usual_name("zebra"), std::nullopt);
}

}  // namespace
}  // namespace translate

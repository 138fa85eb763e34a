#include "config/usual_names.h"

#include <algorithm>
#include <array>
#include <utility>

namespace translate {

namespace {

using Name = std::pair<std::string_view, std::string_view>;

constexpr std::array kNames = {
    Name{"amp", "training.precision"},
    Name{"batch_size", "training.batch_tokens"},
    Name{"beam", "decoding.beam_size"},
    Name{"clip_norm", "training.clip_grad_norm"},
    Name{"dim_feedforward", "model.d_ff"},
    Name{"early_stopping", "training.patience"},
    Name{"embed_dim", "model.d_model"},
    Name{"embedding_dim", "model.d_model"},
    Name{"embedding_size", "model.d_model"},
    Name{"epochs", "training.max_epochs"},
    Name{"ffn_dim", "model.d_ff"},
    Name{"ffn_embed_dim", "model.d_ff"},
    Name{"fp16", "training.precision"},
    Name{"grad_accumulation_steps", "training.accumulation_steps"},
    Name{"gradient_accumulation_steps", "training.accumulation_steps"},
    Name{"heads", "model.num_heads"},
    Name{"hidden_size", "model.d_model"},
    Name{"layers", "model.num_layers"},
    Name{"lr", "training.learning_rate"},
    Name{"lr_scheduler", "training.schedule"},
    Name{"max_epoch", "training.max_epochs"},
    Name{"max_tokens", "training.batch_tokens"},
    Name{"max_update", "training.max_steps"},
    Name{"n_heads", "model.num_heads"},
    Name{"n_layers", "model.num_layers"},
    Name{"nhead", "model.num_heads"},
    Name{"num_attention_heads", "model.num_heads"},
    Name{"num_epochs", "training.max_epochs"},
    Name{"num_train_epochs", "training.max_epochs"},
    Name{"output_dir", "run_dir"},
    Name{"save_dir", "run_dir"},
    Name{"src_lang", "data.source_language"},
    Name{"steps", "training.max_steps"},
    Name{"tgt_lang", "data.target_language"},
    Name{"train_steps", "training.max_steps"},
    Name{"update_freq", "training.accumulation_steps"},
    Name{"vocabulary_size", "tokenizer.vocab_size"},
    Name{"warmup", "training.warmup_steps"},
    Name{"warmup_updates", "training.warmup_steps"},
};
static_assert(std::ranges::is_sorted(kNames));

}  // namespace

std::optional<std::string_view> key_of_usual_name(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name, &Name::first);
  return found == kNames.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace translate

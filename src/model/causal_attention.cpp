#include "translate/model/causal_attention.h"

namespace translate {
namespace {

thread_local bool is_causal = false;

}  // namespace

CausalAttention::CausalAttention() : before_(is_causal) { is_causal = true; }

CausalAttention::~CausalAttention() { is_causal = before_; }

bool unmasked_attention_is_causal() { return is_causal; }

}  // namespace translate

#pragma once

namespace translate {

/// While one lives, attention() of this thread that is given no mask is causal: query i sees keys up to i, as with
/// causal_mask(), of which LibTorch's kernels then need none in memory. On a GPU that lets them take flash attention,
/// which knows no masks. What a real position sees is the same as with decoder_mask() where padding stands behind it.
class CausalAttention {
 public:
  CausalAttention();
  ~CausalAttention();
  CausalAttention(const CausalAttention&) = delete;
  CausalAttention& operator=(const CausalAttention&) = delete;

 private:
  bool before_;
};

/// True where a CausalAttention lives.
[[nodiscard]] bool unmasked_attention_is_causal();

}  // namespace translate

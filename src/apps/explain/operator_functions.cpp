// The functions of libtranslate_torch that translate-infer loads to look into a model (their types are in
// apps/infer/infer_program.h).

#include <string>

#include "apps/explain/attention_page.h"
#include "apps/explain/worked_example.h"
#include "apps/infer/infer_program.h"
#include "decoding/operators/libtorch_backend.h"

namespace translate {

extern "C" {

MakeViewer translate_torch_viewer;
ComputeExample translate_torch_example;

TranslationViewer* translate_torch_viewer(const OutputOptions& options, const LoadedModel& loaded,
                                          const c10::Device& device, Precision precision, const std::string& title) {
  return new ModelViewer(options,
                         ObservedModel{.config = loaded.config,
                                       .tokenizers = loaded.tokenizers,
                                       .modules = make_modules(loaded, device),
                                       .device = device,
                                       .precision = precision},
                         title);
}

void translate_torch_example(const std::string& file, bool json, std::string& result) {
  const auto example = compute_example(file);
  result = json ? to_json(example) : to_text(example);
}
}

}  // namespace translate

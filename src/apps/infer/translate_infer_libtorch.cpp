// translate-infer-libtorch: translate-infer with all functions that need LibTorch.

#include "apps/explain/attention_page.h"
#include "apps/explain/worked_example.h"
#include "apps/infer/infer_program.h"
#include "decoding/operators/libtorch_backend.h"

namespace {

class LibTorchParts : public translate::InferParts {
 public:
  [[nodiscard]] const translate::ModelBackend& backend() const override { return backend_; }

  [[nodiscard]] std::unique_ptr<translate::TranslationViewer> make_viewer(const translate::OutputOptions& options,
                                                                          const translate::LoadedModel& loaded,
                                                                          const c10::Device& device,
                                                                          translate::Precision precision,
                                                                          const std::string& title) const override {
    return std::make_unique<translate::ModelViewer>(
        options,
        translate::ObservedModel{.config = loaded.config,
                                 .tokenizers = loaded.tokenizers,
                                 .modules = translate::make_modules(loaded, device),
                                 .device = device,
                                 .precision = precision},
        title);
  }

  [[nodiscard]] std::string example(const std::string& file, bool json) const override {
    const auto example = translate::compute_example(file);
    return json ? to_json(example) : to_text(example);
  }

 private:
  translate::LibTorchBackend backend_;
};

}  // namespace

int main(int argc, char** argv) { return translate::run_infer(argc, argv, LibTorchParts()); }

// translate-infer: translates text with a trained model. This program starts at once; it leaves work that needs
// LibTorch to translate-infer-libtorch.

#include "apps/infer/infer_program.h"

namespace {

class KernelParts : public translate::InferParts {
 public:
  [[nodiscard]] const translate::ModelBackend& backend() const override { return backend_; }

  [[nodiscard]] std::unique_ptr<translate::TranslationViewer> make_viewer(const translate::OutputOptions& options,
                                                                          const translate::LoadedModel& /*loaded*/,
                                                                          const c10::Device& /*device*/,
                                                                          translate::Precision /*precision*/,
                                                                          const std::string& /*title*/) const override {
    throw translate::NeedsLibTorch(options.viewing.explain ? "--explain" : "--attention");
  }

  [[nodiscard]] std::string example(const std::string& /*file*/, bool /*json*/) const override {
    throw translate::NeedsLibTorch("--example");
  }

 private:
  translate::KernelBackend backend_;
};

}  // namespace

int main(int argc, char** argv) { return translate::run_infer(argc, argv, KernelParts()); }

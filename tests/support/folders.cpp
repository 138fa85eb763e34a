#include "support/folders.h"

namespace translate {

std::filesystem::path project_folder() { return TRANSLATE_SOURCE_DIR; }

std::filesystem::path program_folder() { return TRANSLATE_BIN_DIR; }

}  // namespace translate

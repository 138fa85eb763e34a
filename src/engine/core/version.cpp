#include "core/version.h"

namespace translate {

std::string_view version() { return TRANSLATE_VERSION; }

}  // namespace translate

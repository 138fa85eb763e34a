#pragma once

#include <filesystem>
#include <memory>

#include "segments/glossary.h"

namespace translate {

/// Reads a glossary: a text file, plain or gzip, with a term a line: the source's, a tab, the translation's. What
/// follows a second tab is a note, which does not count; blank lines do not either. Of two lines with the same source
/// term the first one counts, with a warning if their targets differ. Throws DataError with file and line for a line
/// without a tab, for a term that cannot be used (fault_of), and as read_lines does.
[[nodiscard]] std::shared_ptr<const Glossary> read_glossary(const std::filesystem::path& path);

}  // namespace translate

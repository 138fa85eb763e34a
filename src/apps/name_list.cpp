#include "translate/apps/name_list.h"

#include <algorithm>

namespace translate {

std::vector<std::string> split_names(const std::string& list, const std::function<bool(const std::string&)>& exists) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  while (true) {
    std::size_t end = list.size();  // the longest name first
    while (end != std::string::npos && end > begin && !exists(list.substr(begin, end - begin))) {
      end = list.rfind(',', end - 1);
      if (end != std::string::npos && end < begin) end = std::string::npos;
    }
    if (end == std::string::npos || end <= begin) end = std::min(list.find(',', begin), list.size());
    names.push_back(list.substr(begin, end - begin));
    if (end == list.size()) return names;
    begin = end + 1;
  }
}

}  // namespace translate

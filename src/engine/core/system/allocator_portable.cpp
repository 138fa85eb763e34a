#include <cstddef>  // defines __GLIBC__

#include "core/system/allocator.h"

#if !defined(__GLIBC__) || defined(TRANSLATE_PORTABLE)

namespace translate {

void keep_freed_memory() {}

void reserve_little_address_space() {}

void give_back_freed_memory() {}

void give_back_own_memory() {}

}  // namespace translate

#endif

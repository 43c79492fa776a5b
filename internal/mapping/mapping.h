#include <stddef.h>

/* Maps the first bytes of a file; NULL if that does not go. */
void *mapping_map(int fd, size_t bytes, const char *name);

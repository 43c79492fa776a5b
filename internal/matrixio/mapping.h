#include <stddef.h>

/* Maps the first bytes of a file; NULL if that does not go. A process that reads what has been cut off the file ends with a text on
   standard error and another one on standard output, which are kept. */
void *mapping_map(int fd, size_t bytes, const char *line, const char *object);

/* Whether standard output has other text, and so gets none. */
void mapping_output_used(int used);

/* All kernels. */
#include "dialect.h"
#include "scalar.h"
#include "vector.c"
#include "csr.c"
#include "slots.c"

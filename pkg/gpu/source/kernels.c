/* All kernels. */
#include "dialect.h"
#include "scalar.h"
#include "vector.c"
#include "csr.c"
#include "long.c"
#include "accurate.c"
#include "bucketed.c"
#include "measure.c"

// The arguments of products with symmetric matrices.
#include "blocks.h"

// symmetric_call is symmetricCall of Go.
struct symmetric_call {
	const struct slot_group *groups;
	i64 count;
	const u8 *widths;
	const u16 *index;
	const u8 *values;
	const u16 *order;
	const double *x, *x_row; // x_row: the element of the first row
	double *sums, *sums_row; // sums_row: the sums of the first row
	i64 from, rows;          // block row of the first sums, and the number of block rows
	i64 stream;              // bytes from one stream of values to the next
	const struct slot_table *tables;
};

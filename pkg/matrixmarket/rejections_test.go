package matrixmarket

import "strings"

const (
	coordReal = "%%MatrixMarket matrix coordinate real general\n"
	coordSym  = "%%MatrixMarket matrix coordinate real symmetric\n"
	coordSkew = "%%MatrixMarket matrix coordinate real skew-symmetric\n"
	coordHerm = "%%MatrixMarket matrix coordinate complex hermitian\n"
	coordInt  = "%%MatrixMarket matrix coordinate integer general\n"
	coordPat  = "%%MatrixMarket matrix coordinate pattern general\n"
	coordCplx = "%%MatrixMarket matrix coordinate complex general\n"
	arrayReal = "%%MatrixMarket matrix array real general\n"
)

// rejection is a text that is refused, with the exact error.
type rejection struct{ name, text, want string }

// rejectedFiles are no Matrix Market files at all.
var rejectedFiles = []rejection{
	{
		"empty", "",
		"x.mtx: the file is empty",
	},
	{
		"blank", " \n\t\r\n\n",
		"x.mtx: the file holds nothing but blanks",
	},
	{
		"binary", "\x7fELF\x02\x01\x01\x00\x00\x00\x00\n",
		"x.mtx:1:1: the file must begin with a banner like \"%%MatrixMarket matrix coordinate real general\", not with \"\\x7fELF\\x02\\x01\\x01\\x00\\x00\\x00\\x00\"",
	},
	{
		"no banner", "3 3 2\n1 1 1\n",
		"x.mtx:1:1: the banner is missing: the first line must be like \"%%MatrixMarket matrix coordinate real general\", not numbers",
	},
	{
		"no banner, array", "3 1\n1\n",
		"x.mtx:1:1: the banner is missing: the first line must be like \"%%MatrixMarket matrix array real general\", not numbers",
	},
	{
		"no banner, comment", "% a matrix\n3 3 2\n",
		"x.mtx:1:1: the file must begin with a banner like \"%%MatrixMarket matrix coordinate real general\", not with \"% a matrix\"",
	},
	{
		"lfs", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n",
		"x.mtx: the file is a Git LFS pointer, not the matrix itself: run \"git lfs pull\" to fetch it",
	},
	{
		"harwell-boeing", strings.Repeat("t", 72) + "KEY     \n  5 1 2 2 0\nRUA 5 5 8 0\n",
		"x.mtx: this is a Harwell-Boeing or Rutherford-Boeing file, not Matrix Market: it must be converted",
	},
	{
		"rutherford-boeing", "title |key\n5 1 2 2\npua 5 5 8 0\n",
		"x.mtx: this is a Harwell-Boeing or Rutherford-Boeing file, not Matrix Market: it must be converted",
	},
	{
		"html", "<!DOCTYPE html>\n<html>",
		"x.mtx: the file is a web page, not a matrix: the download went wrong",
	},
	{
		"xz", "\xfd7zXZ\x00\x00",
		"x.mtx: the file is compressed with xz, which is not supported: unpack it or use gzip",
	},
	{
		"zstd", "\x28\xb5\x2f\xfd\x04",
		"x.mtx: the file is compressed with zstd, which is not supported: unpack it or use gzip",
	},
	{
		"zip", "PK\x03\x04\x14",
		"x.mtx: the file is a zip archive, which is not supported: unpack it or use gzip",
	},
	{
		"7z", "7z\xbc\xaf\x27\x1c\x00",
		"x.mtx: the file is a 7z archive, which is not supported: unpack it or use gzip",
	},
	{
		"lz4", "\x04\x22\x4d\x18\x64",
		"x.mtx: the file is compressed with lz4, which is not supported: unpack it or use gzip",
	},
	{
		"compress", "\x1f\x9d\x90",
		"x.mtx: the file is compressed with compress (.Z), which is not supported: unpack it or use gzip",
	},
	{
		"tar", "a.mtx" + strings.Repeat("\x00", 252) + "ustar\x0000",
		"x.mtx: the file is a tar archive: unpack it and read the .mtx file inside",
	},
	{
		"utf-16", "\xff\xfe%\x00%\x00",
		"x.mtx: the file is UTF-16 text: save it as plain ASCII or UTF-8",
	},
	{
		"hdf5", "\x89HDF\r\n\x1a\n\x00",
		"x.mtx: the file is an HDF5 file (or MATLAB 7.3), not Matrix Market: it must be converted",
	},
	{
		"mat", "MATLAB 5.0 MAT-file, Platform",
		"x.mtx: the file is a MATLAB file, not Matrix Market: it must be converted",
	},
	{
		"npy", "\x93NUMPY\x01\x00",
		"x.mtx: the file is a NumPy array, not Matrix Market: it must be converted",
	},
}

// rejectedBanners have a wrong banner.
var rejectedBanners = []rejection{
	{
		"banner word", "%%MatrixMarkt matrix coordinate real general\n",
		"x.mtx:1:1: the file must begin with a banner like \"%%MatrixMarket matrix coordinate real general\", not with \"%%MatrixMarkt matrix coordinate real gen\"...",
	},
	{
		"banner in two words", "%%Matrix Market matrix coordinate real general\n",
		"x.mtx:1:1: the file must begin with a banner like \"%%MatrixMarket matrix coordinate real general\", not with \"%%Matrix Market matrix coordinate real g\"...",
	},
	{
		"object", "%%MatrixMarket matrx coordinate real general\n",
		"x.mtx:1:16: unknown object \"matrx\": did you mean \"matrix\"? (one of matrix, vector)",
	},
	{
		"format", "%%MatrixMarket matrix coordinates real general\n",
		"x.mtx:1:23: unknown format \"coordinates\": did you mean \"coordinate\"? (one of coordinate, array)",
	},
	{
		"field", "%%MatrixMarket matrix coordinate rael general\n",
		"x.mtx:1:34: unknown field \"rael\": did you mean \"real\"? (one of real, integer, unsigned-integer, pattern, complex)",
	},
	{
		"symmetry", "%%MatrixMarket matrix coordinate real symetric\n",
		"x.mtx:1:39: unknown symmetry \"symetric\": did you mean \"symmetric\"? (one of general, symmetric, skew-symmetric, hermitian)",
	},
	{
		"no symmetry", "%%MatrixMarket matrix coordinate real\n",
		"x.mtx:1:38: the banner ends before the symmetry (one of general, symmetric, skew-symmetric, hermitian)",
	},
	{
		"no field", "%%MatrixMarket matrix coordinate  \n",
		"x.mtx:1:33: the banner ends before the field (one of real, integer, unsigned-integer, pattern, complex)",
	},
	{
		"extra word", "%%MatrixMarket matrix coordinate real general x\n",
		"x.mtx:1:47: unexpected \"x\" after the banner",
	},
	{
		"symmetric vector", "%%MatrixMarket vector array real symmetric\n",
		"x.mtx:1:34: a vector cannot be symmetric: it must be general",
	},
	{
		"pattern array", "%%MatrixMarket matrix array pattern general\n",
		"x.mtx:1:29: an array cannot have the field pattern: it would hold no data",
	},
	{
		"skew pattern", "%%MatrixMarket matrix coordinate pattern skew-symmetric\n",
		"x.mtx:1:42: a pattern cannot be skew-symmetric: it has no values to negate",
	},
	{
		"skew unsigned", "%%MatrixMarket matrix coordinate unsigned-integer skew-symmetric\n",
		"x.mtx:1:51: unsigned integers cannot be skew-symmetric",
	},
}

// rejectedSizes have a wrong size line.
var rejectedSizes = []rejection{
	{
		"no size line", coordReal + "% nothing\n",
		"x.mtx:2: the file ends before the size line",
	},
	{
		"two numbers", coordReal + "3 3\n",
		"x.mtx:2:4: the size line of a matrix in coordinate format has 3 numbers (rows, columns, entries), not 2",
	},
	{
		"four numbers", coordReal + "3 3 3 3\n",
		"x.mtx:2:7: the size line of a matrix in coordinate format has 3 numbers (rows, columns, entries), not 4",
	},
	{
		"three numbers in array", arrayReal + "3 3 9\n",
		"x.mtx:2:5: the size line of a matrix in array format has 2 numbers (rows, columns), not 3",
	},
	{
		"size not a number", coordReal + "3 x 3\n",
		"x.mtx:2:3: the number of columns is \"x\", not a whole number",
	},
	{
		"size not whole", coordReal + "3 3.0 3\n",
		"x.mtx:2:3: the number of columns is \"3.0\", not a whole number",
	},
	{
		"negative rows", coordReal + "-3 3 3\n",
		"x.mtx:2:1: the number of rows is negative: -3",
	},
	{
		"negative entries", coordReal + "3 3 -3\n",
		"x.mtx:2:5: the number of entries is negative: -3",
	},
	{
		"rows beyond int32", coordReal + "1099511627776 1 1\n1 1 1\n",
		"x.mtx:2:1: 1099511627776 rows are more than the 2147483647 that mpsolve can index",
	},
	{
		"columns beyond int64", coordReal + "1 19223372036854775808 1\n1 1 1\n",
		"x.mtx:2:3: 19223372036854775808 columns are more than a 64-bit number can count",
	},
	{
		"not square", coordSym + "3 4 1\n1 1 1\n",
		"x.mtx:2:1: a symmetric matrix must be square, not 3 x 4",
	},
	{
		"entries in nothing", coordReal + "0 3 1\n1 1 1\n",
		"x.mtx:2:5: 1 entry cannot lie in a 0 x 3 matrix",
	},
}

// rejectedEntries have wrong entries.
var rejectedEntries = []rejection{
	{
		"row too large", coordReal + "% c\n\n10 9 1\n12 1 5\n",
		"x.mtx:5:1: row index 12 is larger than the 10 rows declared on line 4",
	},
	{
		"column too large", coordReal + "10 9 1\n10 10 5\n",
		"x.mtx:3:4: column index 10 is larger than the 9 columns declared on line 2",
	},
	{
		"row zero", coordReal + "10 9 1\n0 1 5\n",
		"x.mtx:3:1: row index 0: indices start at 1",
	},
	{
		"column negative", coordReal + "10 9 1\n1 -2 5\n",
		"x.mtx:3:3: column index -2 is negative: indices start at 1",
	},
	{
		"index huge", coordReal + "10 9 1\n1 19223372036854775808 5\n",
		"x.mtx:3:3: column index 19223372036854775808 is larger than the 9 columns declared on line 2",
	},
	{
		"index not whole", coordReal + "10 9 1\n1.0 1 5\n",
		"x.mtx:3:1: row index \"1.0\" is not a whole number",
	},
	{
		"index beyond vector", "%%MatrixMarket vector coordinate real general\n4 1\n5 1\n",
		"x.mtx:3:1: row index 5 is larger than the 4 elements declared on line 2",
	},
	{
		"no value", coordReal + "3 3 1\n1 2\n",
		"x.mtx:3:4: the line ends after 2 numbers, it must hold row, column and value",
	},
	{
		"no column", coordPat + "3 3 1\n1\n",
		"x.mtx:3:2: the line ends after 1 number, it must hold row and column",
	},
	{
		"no imaginary part", coordCplx + "3 3 1\n1 2 3\n",
		"x.mtx:3:6: the line ends after 3 numbers, it must hold row, column, real and imaginary part",
	},
	{
		"value not a number", coordReal + "3 3 1\n1 2  abc\n",
		"x.mtx:3:6: value \"abc\" is not a number",
	},
	{
		"value with comma", coordReal + "3 3 1\n1 2 1,5\n",
		"x.mtx:3:5: value \"1,5\" is not a number",
	},
	{
		"value with letters behind", coordReal + "3 3 1\n1 2 1.5x\n",
		"x.mtx:3:5: value \"1.5x\" is not a number",
	},
	{
		"value hexadecimal", coordReal + "3 3 1\n1 2 0x1p3\n",
		"x.mtx:3:5: value \"0x1p3\" is not a number",
	},
	{
		"value with two signs", coordReal + "3 3 1\n1 2 +-1\n",
		"x.mtx:3:5: value \"+-1\" is not a number",
	},
	{
		"value with empty exponent", coordReal + "3 3 1\n1 2 1e\n",
		"x.mtx:3:5: value \"1e\" is not a number",
	},
	{
		"value a sign", coordReal + "3 3 1\n1 2 -\n",
		"x.mtx:3:5: value \"-\" is not a number",
	},
	{
		"value a point", coordReal + "3 3 1\n1 2 .\n",
		"x.mtx:3:5: value \".\" is not a number",
	},
	{
		"value binary", coordReal + "3 3 1\n1 2 \x00\xff\n",
		"x.mtx:3:5: value \"\\x00\\xff\" is not a number",
	},
	{
		"value long", coordReal + "3 3 1\n1 2 " + strings.Repeat("z", 99) + "\n",
		"x.mtx:3:5: value \"zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz\"... is not a number",
	},
	{
		"fraction in integer", coordInt + "3 3 1\n1 2 1.5\n",
		"x.mtx:3:5: value \"1.5\" is not a whole number, but the field is integer",
	},
	{
		"negative unsigned", "%%MatrixMarket matrix coordinate unsigned-integer general\n3 3 1\n1 2 -1\n",
		"x.mtx:3:5: value -1 is negative, but the field is unsigned-integer",
	},
	{
		"behind the value", coordReal + "3 3 1\n1 2 3 # four\n",
		"x.mtx:3:7: unexpected \"#\": the line must hold row, column and value",
	},
	{
		"behind a pattern", coordPat + "3 3 1\n1 2 3\n",
		"x.mtx:3:5: unexpected \"3\": the line must hold row and column",
	},
	{
		"two values in array", arrayReal + "2 1\n1 2\n",
		"x.mtx:3:3: unexpected \"2\": the line must hold one value",
	},
	{
		"comment in mid-line", coordReal + "3 3 1\n1 2 3 % four\n",
		"x.mtx:3:7: unexpected \"%\": the line must hold row, column and value",
	},
	{
		"too few", coordReal + "3 3 3\n1 1 1\n\n2 2 2\n",
		"x.mtx:5: the file ends after 2 of the 3 entries declared on line 2",
	},
	{
		"too few in array", arrayReal + "2 2\n1\n2\n3\n",
		"x.mtx:5: the file ends after 3 of the 4 entries declared on line 2",
	},
	{
		"too many", coordReal + "3 3 2\n1 1 1\n% c\n2 2 2\n\n3 3 3\n1 1 1\n",
		"x.mtx:7: there are more entries than the 2 declared on line 2",
	},
	{
		"too many in array", arrayReal + "1 2\n1\n2\n3\n",
		"x.mtx:5: there are more entries than the 2 declared on line 2",
	},
	{
		"text behind the entries", coordReal + "3 3 1\n1 1 1\nthe end\n",
		"x.mtx:4: there is more than the 1 entry declared on line 2",
	},
	{
		"first of two faults", coordReal + "3 3 3\n1 1 1\n1 1 x\n0 0 y\n",
		"x.mtx:4:5: value \"x\" is not a number",
	},
	{
		"both triangles", coordSym + "3 3 3\n1 1 1\n3 1 2\n1 3 2\n",
		"x.mtx:5: a symmetric file must hold only one of the entries (3, 1) and (1, 3), but they are on lines 4 and 5",
	},
	{
		"both triangles, skew", coordSkew + "3 3 3\n1 2 1\n3 2 2\n2 3 -2\n",
		"x.mtx:5: a skew-symmetric file must hold only one of the entries (3, 2) and (2, 3), but they are on lines 4 and 5",
	},
}

package matrixmarket

import (
	"bytes"
	"strings"
)

const byteOrderMark = "\xef\xbb\xbf" // UTF-8

// compression is how a file is packed, told from its first bytes.
type compression uint8

const (
	plain compression = iota
	gzipped
	bzipped
)

func (c compression) String() string { return [...]string{"plain", "gzip", "bzip2"}[c] }

// headLength is the number of bytes that sniff and foreign examine; tar has its magic
// at offset 257.
const headLength = 512

// sniff detects the supported compressions.
func sniff(head []byte) compression {
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return gzipped
	case len(head) > 3 && bytes.HasPrefix(head, []byte("BZh")) && head[3] >= '1' && head[3] <= '9':
		return bzipped
	}
	return plain
}

// foreignFiles are files of other kinds that users pass, with advice for each.
var foreignFiles = []struct {
	offset      int
	magic, what string
}{
	{0, "\xfd7zXZ\x00", "the file is compressed with xz, which is not supported: unpack it or use gzip"},
	{0, "\x28\xb5\x2f\xfd", "the file is compressed with zstd, which is not supported: unpack it or use gzip"},
	{0, "\x04\x22\x4d\x18", "the file is compressed with lz4, which is not supported: unpack it or use gzip"},
	{0, "\x1f\x9d", "the file is compressed with compress (.Z), which is not supported: unpack it or use gzip"},
	{0, "PK\x03\x04", "the file is a zip archive, which is not supported: unpack it or use gzip"},
	{0, "7z\xbc\xaf\x27\x1c", "the file is a 7z archive, which is not supported: unpack it or use gzip"},
	{257, "ustar", "the file is a tar archive: unpack it and read the .mtx file inside"},
	{0, "version https://git-lfs", "the file is a Git LFS pointer, not the matrix itself: run \"git lfs pull\" to fetch it"},
	{0, "\xff\xfe", "the file is UTF-16 text: save it as plain ASCII or UTF-8"},
	{0, "\xfe\xff", "the file is UTF-16 text: save it as plain ASCII or UTF-8"},
	{0, "\x89HDF\r\n\x1a\n", "the file is an HDF5 file (or MATLAB 7.3), not Matrix Market: it must be converted"},
	{0, "MATLAB 5.0 MAT-file", "the file is a MATLAB file, not Matrix Market: it must be converted"},
	{0, "\x93NUMPY", "the file is a NumPy array, not Matrix Market: it must be converted"},
	{0, "<!DOCTYPE", "the file is a web page, not a matrix: the download went wrong"},
	{0, "<!doctype", "the file is a web page, not a matrix: the download went wrong"},
	{0, "<html", "the file is a web page, not a matrix: the download went wrong"},
}

// foreign returns what to say about a file of another kind, or "".
func foreign(head []byte) string {
	for _, f := range foreignFiles {
		if len(head) > f.offset && bytes.HasPrefix(head[f.offset:], []byte(f.magic)) {
			return f.what
		}
	}
	return ""
}

// notBanner says what is wrong with a first line that is no banner. It may
// read two lines more to recognise a Harwell-Boeing file.
func (p *preamble) notBanner(line text) error {
	words := line.words()
	if n := len(words); n <= 3 && allCounts(words) {
		format := "coordinate"
		if n < 3 {
			format = "array"
		}
		return p.fault(line.number, words[0].column,
			"the banner is missing: the first line must be like \"%%%%MatrixMarket matrix %s real general\", not numbers", format)
	}
	if p.harwellBoeing() {
		return p.fault(0, 0, "this is a Harwell-Boeing or Rutherford-Boeing file, not Matrix Market: it must be converted")
	}
	return p.fault(line.number, words[0].column,
		"the file must begin with a banner like \"%%%%MatrixMarket matrix coordinate real general\", not with %s",
		quote(strings.TrimSpace(line.s)))
}

// harwellBoeing looks at the second and third line: counts of lines, and a
// type of three letters such as RSA or pua with the dimensions behind it.
func (p *preamble) harwellBoeing() bool {
	second, err := p.next()
	if err != nil || !allCounts(second.words()) {
		return false
	}
	third, err := p.next()
	if err != nil {
		return false
	}
	words := third.words()
	if len(words) < 4 || len(words[0].s) != 3 || !allCounts(words[1:]) {
		return false
	}
	kind := strings.ToUpper(words[0].s)
	return strings.Contains("RCPIQ", kind[:1]) && strings.Contains("SUHZR", kind[1:2]) &&
		strings.Contains("AE", kind[2:])
}

// allCounts reports whether there are words and all of them are made of digits.
func allCounts(words []token) bool {
	for _, w := range words {
		if strings.Trim(w.s, "0123456789") != "" {
			return false
		}
	}
	return len(words) > 0
}

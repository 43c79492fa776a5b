package gpu

import "encoding/binary"

// entry is a code object and the name of its target.
type entry struct {
	name string
	code []byte
}

// bundle joins code objects as clang does for HIP, which takes the one that fits the device.
// Behind a magic word there are, as numbers of 8 bytes, the number of entries and, for each,
// the offset of its code, the size, and the length of its name, and its name. The code
// begins at multiples of a page. See Clang Offload Bundler in clang's documentation.
func bundle(entries []entry) []byte {
	const page = 4096
	pages := func(bytes int) int { return (bytes + page - 1) / page * page }
	head := binary.LittleEndian.AppendUint64([]byte("__CLANG_OFFLOAD_BUNDLE__"), uint64(len(entries)))
	begin := len(head)
	for _, e := range entries {
		begin += 3*8 + len(e.name)
	}
	at := pages(begin)
	for _, e := range entries {
		for _, n := range []int{at, len(e.code), len(e.name)} {
			head = binary.LittleEndian.AppendUint64(head, uint64(n))
		}
		head = append(head, e.name...)
		at += pages(len(e.code))
	}
	whole := make([]byte, at)
	at = pages(copy(whole, head))
	for _, e := range entries {
		at += pages(copy(whole[at:], e.code))
	}
	return whole
}

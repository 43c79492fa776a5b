package main

// architecture is what limits the blocks on a multiprocessor: see the table of technical
// specifications in NVIDIA's CUDA C++ Programming Guide.
type architecture struct {
	name     string
	threads  int // of all blocks
	shared   int // kB of shared memory, for all blocks
	reserved int // kB of it that each block takes besides
}

var architectures = []architecture{
	{"sm_70", 2048, 96, 0},
	{"sm_75", 1024, 64, 0},
	{"sm_80", 2048, 164, 1},
	{"sm_86", 1536, 100, 1},
	{"sm_89", 1536, 100, 1},
	{"sm_90", 2048, 228, 1},
	{"sm_100", 2048, 228, 1},
	{"sm_120", 1536, 100, 1},
}

// The same on all of them.
const (
	blockThreads = 256 // of our kernels
	warpThreads  = 32
	partitions   = 4     // of a multiprocessor; each has a quarter of the warps and registers
	registerFile = 16384 // of a partition
	registerUnit = 256   // that registers are given to a warp in
	sharedUnit   = 256   // bytes that shared memory is given to a block in
	mostBlocks   = 16
)

// blocks returns the number of blocks of a kernel that a multiprocessor has room for.
func (a architecture) blocks(u usage) int {
	up := func(n, unit int) int { return (n + unit - 1) / unit * unit }
	warps := registerFile / up(max(u.registers, 1)*warpThreads, registerUnit) * partitions
	n := min(mostBlocks, a.threads/blockThreads, warps/(blockThreads/warpThreads))
	if bytes := up(u.shared, sharedUnit) + a.reserved<<10; bytes > 0 {
		n = min(n, a.shared<<10/bytes)
	}
	return n
}

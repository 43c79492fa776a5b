package ptxemu

// instruction is one statement of a kernel.
type instruction struct {
	line   int    // of the text
	text   string // for messages
	opcode string
	kind   kind

	guard  int // the register of @%p, or none
	unless bool

	f       operation // of kind compute
	to      int       // register of the result
	from    [3]int    // registers of the operands
	more    []int     // the other registers of a vector, or the second half of what is unpacked
	address address   // of a memory access

	target int // of a branch, the index of an instruction
	join   int // where threads that part at a branch meet again
}

// kind says how an instruction is executed.
type kind uint8

const (
	compute kind = iota
	unpack       // a register of 64 bits into two of 32
	branch
	exit
	barrier
	shuffle
	load
	store
	loadParam
	prefetch
	unreachable
)

// operation computes one thread's result of up to three operands. Only the low bits of a
// register that its type has count, in operands and results.
type operation func(a, b, c uint64) uint64

// address is what a memory instruction accesses.
type address struct {
	global   bool // or shared
	base     int  // register
	offset   uint64
	bytes    uint64 // of one element
	elements int    // 1, 2 or 4
	signed   bool   // a loaded element is extended by its sign
	constant bool   // .nc: nobody writes it
}

// none stands for no register.
const none = -1

// A dataType is the type of an instruction, such as u32.
type dataType struct {
	bytes  uint64 // 0: a predicate
	signed bool
}

var types = map[string]dataType{
	"pred": {0, false},
	"b8":   {1, false}, "u8": {1, false}, "s8": {1, true},
	"b16": {2, false}, "u16": {2, false}, "s16": {2, true},
	"b32": {4, false}, "u32": {4, false}, "s32": {4, true}, "f32": {4, false},
	"b64": {8, false}, "u64": {8, false}, "s64": {8, true}, "f64": {8, false},
}

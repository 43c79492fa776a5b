package ptxemu

import "strings"

// Class is the class of an opcode: "fp64", "fp32", "integer" and "logic" for arithmetic,
// "select" for comparisons and selections, "move" for what only moves and converts between
// registers, much of which costs nothing, "control", "shuffle", "global", "shared" and "param".
func Class(opcode string) string {
	parts := strings.Split(opcode, ".")
	last := parts[len(parts)-1]
	switch parts[0] {
	case "bra", "ret", "exit", "trap", "bar", "barrier":
		return "control"
	case "shfl":
		return "shuffle"
	case "prefetch":
		return "global"
	case "ld", "st":
		return parts[1]
	case "setp", "selp":
		return "select"
	case "mov", "cvta":
		return "move"
	case "cvt":
		if strings.Contains(opcode, "f64") {
			return "fp64"
		}
		return "move"
	case "and", "or", "xor", "not", "shl", "shr", "bfe", "shf", "prmt", "popc", "clz", "brev":
		return "logic"
	}
	switch last {
	case "f64":
		return "fp64"
	case "f32":
		return "fp32"
	}
	return "integer"
}

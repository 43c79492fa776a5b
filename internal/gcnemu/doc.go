// Package gcnemu runs the instructions of AMD's GPUs on the host, as llvm-objdump writes them: as
// much of GCN, CDNA and RDNA as LLVM makes of kernels that exchange between lanes, and use barriers,
// LDS and global memory. It is for tests: kernels run as they are compiled, without a GPU and without
// cgo. It is to AMD's code objects what internal/ptxemu is to PTX.
//
// Each access to memory is checked, see internal/simt. Faults are besides those of that page:
//
//   - an s_load of what the launch has written: the scalar cache is not told;
//   - ds_bpermute of a lane that is switched off, and s_barrier by a part of a wave.
//
// Waves of 64 or 32 lanes run in lockstep, those that EXEC has: branches are of whole waves, and
// what LLVM made of threads that part is masks. Registers that nobody has written hold garbage. With
// a Seed waves and blocks run in random order. Kernels must not have scratch memory.
//
// What is executed is counted for each instruction, see [simt.Counts]. Memory lines are 64 bytes.
//
// Semantics are those of AMD's ISA manuals, but that v_rcp_f64 and v_rsq_f64, which are approximations,
// are wrong here in their last 30 bits, so that no result can depend on these. Waiting (s_waitcnt)
// does nothing: each instruction is over when the next one begins. NaNs keep their payload.
package gcnemu

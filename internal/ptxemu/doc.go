// Package ptxemu runs PTX, the assembly of NVIDIA's GPUs, on the host: as much of it as LLVM
// makes of kernels that use shuffles, barriers, shared and global memory. It is for tests:
// kernels run as they are compiled, without a GPU and without cgo.
//
// Each access to memory is checked, see internal/simt. Faults are besides those of that page:
//
//   - a write to what the launch reads by ld.global.nc, or the other way round;
//   - shfl.sync or bar.sync by a part of a warp.
//
// Warps run as on a stack of masks: where threads part, one side goes first, and they meet
// again at the branch's immediate post-dominator. With a Seed the order is random instead:
// threads of a warp run apart and in any order up to the next shuffle or barrier, and so do
// warps and blocks.
//
// What is executed is counted, for each instruction: see [simt.Counts]. A warp instruction is one
// for its 32 threads, however many of them take part; a request is a warp instruction that
// accesses global memory, a sector 32 bytes of it.
//
// Semantics are those of the PTX ISA manual. NaNs keep their payload, which GPUs do not.
package ptxemu

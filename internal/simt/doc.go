// Package simt is what interpreters of GPUs' kernels have in common, whatever the instructions
// are: buffers, shared memory and checks of each access, blocks whose warps meet at barriers, orders
// to run them in, and counts. internal/ptxemu and internal/gcnemu interpret kernels on it.
//
// These are faults, after which a Device does nothing more:
//
//   - an address outside of all buffers, or not aligned;
//   - a read of memory that nobody wrote;
//   - a race: two threads use a word, one of them writes, and no barrier of their block is
//     between. Writing the same value twice is none;
//   - a write to what the launch reads through a cache that nobody keeps up to date, or the
//     other way round;
//   - a barrier that some warps miss.
package simt

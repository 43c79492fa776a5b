// Package mpi is a dist.Comm of MPI. It opens the library only if a launcher such as mpirun or srun has started the
// process, so that one binary runs with any MPI and without one. In a library it uses the MPI of the program, by [Adopt].
//
// An MPI library defines its own handles and constants. There are three tables of them: Open MPI (libmpi.so.40); the
// MPICH ABI (libmpi.so.12, libmpich.so.12), which Intel MPI, Cray MPICH and MVAPICH share; and the ABI of MPI 5.0
// (libmpi_abi.so.1).
//
// All data sent or received lie in C's memory: libraries register memory with the network and keep it registered,
// while Go's runtime returns pages to the system without their knowledge.
package mpi

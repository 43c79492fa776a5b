// Package mpi is a dist.Comm of MPI. The library is opened when a launcher such as mpirun or srun has
// started the process, and not before, so that one binary runs with any MPI and without one.
//
// An MPI library defines handles and constants of its own, which there are three tables of: Open MPI
// (libmpi.so.40); the MPICH ABI (libmpi.so.12, libmpich.so.12), which Intel MPI, Cray MPICH and MVAPICH
// share; and the ABI of MPI 5.0 (libmpi_abi.so.1).
//
// Whatever is sent or received lies in C's memory: libraries register memory with the network and keep it
// registered, and Go's runtime gives pages back to the system without their knowledge.
package mpi

! The chain of springs of bindings/fortran/example.f90 over ranks, whose rows count from 1.
program ranks
  use mpi
  use mpsolve
  implicit none
  integer(c_int64_t), parameter :: n = 500
  integer(c_int64_t) :: first, last, rows, i, j, k
  integer(c_int64_t), allocatable, target :: row_start(:), col(:)
  real(c_double), allocatable, target :: val(:)
  real(c_double), allocatable :: b(:), x(:)
  real(c_double) :: own, worst
  integer :: level, rank, size, code
  type(c_ptr) :: s

  call MPI_Init_thread(MPI_THREAD_SERIALIZED, level, code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, size, code)
  first = n*rank/size + 1
  last = n*(rank + 1)/size
  rows = last - first + 1
  allocate (row_start(rows + 1), col(3*rows), val(3*rows), b(rows), x(rows))
  k = 0
  do i = first, last
    row_start(i - first + 1) = k + 1
    b(i - first + 1) = 0
    do j = max(1_c_int64_t, i - 1), min(n, i + 1)
      k = k + 1
      col(k) = j
      val(k) = merge(2d0, -1d0, i == j)
      b(i - first + 1) = b(i - first + 1) + val(k)*exact(j)
    end do
  end do
  row_start(rows + 1) = k + 1

  call check(mpsolve_new(s))
  call check(mpsolve_set(s, 'tol', '1e-13'))
  call check(mpsolve_set(s, 'domains', '2'))
  call check(mpsolve_matrix_mpi(s, MPI_COMM_WORLD, n, 1, first, rows, row_start, col, val))
  call check(mpsolve_solve(s, 1_c_int64_t, b, c_null_ptr, x))
  own = maxval([(abs(x(i - first + 1) - exact(i)), i=first, last)])
  call MPI_Allreduce(own, worst, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, code)
  if (rank == 0) print '(a, es8.1)', 'converged; largest error', worst
  if (worst > 1d-8) error stop
  call mpsolve_free(s)
  call MPI_Finalize(code)

contains

  real(c_double) function exact(row)
    integer(c_int64_t), intent(in) :: row
    exact = sin(row*0.01d0)
  end function

  subroutine check(code)
    integer(c_int), intent(in) :: code
    integer :: ended
    if (code == mpsolve_converged) return
    print '(2a)', 'mpsolve: ', mpsolve_error(s)
    call MPI_Abort(MPI_COMM_WORLD, int(code), ended)
  end subroutine

end program

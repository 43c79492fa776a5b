! A chain of springs between two walls: -x(i-1) + 2 x(i) - x(i+1) = b(i), with arrays that count from 1.
!
!     gfortran mpsolve.f90 example.f90 $(pkg-config --libs mpsolve) -o example && ./example
program example
  use mpsolve
  implicit none
  integer, parameter :: n = 500
  integer(c_int32_t), target :: row_start(n + 1), col(3*n)
  real(c_double), target :: val(3*n)
  real(c_double) :: b(n), x(n), exact(n)
  integer :: i, j, k
  type(c_ptr) :: s

  k = 0
  do i = 1, n
    exact(i) = sin(i*0.01d0)
    row_start(i) = k + 1
    do j = max(1, i - 1), min(n, i + 1)
      k = k + 1
      col(k) = j
      val(k) = merge(2d0, -1d0, i == j)
    end do
  end do
  row_start(n + 1) = k + 1
  do i = 1, n
    b(i) = sum(val(row_start(i):row_start(i + 1) - 1)*exact(col(row_start(i):row_start(i + 1) - 1)))
  end do

  call check(mpsolve_new(s))
  call check(mpsolve_set(s, 'tol', '1e-13'))
  call check(mpsolve_matrix(s, int(n, c_int64_t), int(n, c_int64_t), 1, row_start, col, val))
  call check(mpsolve_solve(s, 1_c_int64_t, b, c_null_ptr, x))
  print '(a, es8.1)', 'converged; largest error', maxval(abs(x - exact))
  if (maxval(abs(x - exact)) > 1d-8) error stop
  call mpsolve_free(s)

contains

  subroutine check(code)
    integer(c_int), intent(in) :: code
    if (code == mpsolve_converged) return
    print '(4a)', 'mpsolve: ', mpsolve_message(code), ': ', mpsolve_error(s)
    stop 1
  end subroutine

end program

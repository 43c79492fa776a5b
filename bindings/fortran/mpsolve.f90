! The library mpsolve for Fortran 2003 and later; bindings/c/mpsolve.h explains the functions.
!
!     gfortran mpsolve.f90 program.f90 $(pkg-config --libs mpsolve)
module mpsolve
  use, intrinsic :: iso_c_binding
  implicit none
  public

  enum, bind(c)
    enumerator :: mpsolve_converged = 0, mpsolve_failure = 1, mpsolve_usage = 2, mpsolve_not_converged = 3
    enumerator :: mpsolve_input = 4, mpsolve_no_device = 5, mpsolve_internal = 70, mpsolve_interrupted = 130
  end enum

  interface
    integer(c_int) function mpsolve_new(s) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(out) :: s
    end function
    subroutine mpsolve_free(s) bind(c)
      import :: c_ptr
      type(c_ptr), value :: s
    end subroutine
    integer(c_int) function mpsolve_set_c(s, name, value) bind(c, name='mpsolve_set')
      import :: c_int, c_ptr, c_char
      type(c_ptr), value :: s
      character(kind=c_char), intent(in) :: name(*), value(*)
    end function
    ! row_start, col and val must be targets and must not change until mpsolve_free; base is 1 for indices that count from 1
    integer(c_int) function mpsolve_matrix(s, rows, cols, base, row_start, col, val) bind(c)
      import :: c_int, c_int32_t, c_int64_t, c_double, c_ptr
      type(c_ptr), value :: s
      integer(c_int64_t), value :: rows, cols
      integer(c_int), value :: base
      integer(c_int32_t), intent(in) :: row_start(*), col(*)
      real(c_double), intent(in) :: val(*)
    end function
    integer(c_int) function mpsolve_matrix64(s, rows, cols, base, row_start, col, val) bind(c)
      import :: c_int, c_int64_t, c_double, c_ptr
      type(c_ptr), value :: s
      integer(c_int64_t), value :: rows, cols
      integer(c_int), value :: base
      integer(c_int64_t), intent(in) :: row_start(*), col(*)
      real(c_double), intent(in) :: val(*)
    end function
    ! comm is an MPI communicator, with mpi_f08 its mpi_val; first counts from base
    integer(c_int) function mpsolve_matrix_mpi(s, comm, n, base, first, rows, row_start, col, val) bind(c)
      import :: c_int, c_int64_t, c_double, c_ptr
      type(c_ptr), value :: s
      integer(c_int), value :: comm, base
      integer(c_int64_t), value :: n, first, rows
      integer(c_int64_t), intent(in) :: row_start(*), col(*)
      real(c_double), intent(in) :: val(*)
    end function
    ! apply and transposed are c_funloc of functions with bind(c), as mpsolve_product is in mpsolve.h, or c_null_funptr
    integer(c_int) function mpsolve_operator(s, n, apply, transposed, data) bind(c)
      import :: c_int, c_int64_t, c_ptr, c_funptr
      type(c_ptr), value :: s, data
      integer(c_int64_t), value :: n
      type(c_funptr), value :: apply, transposed
    end function
    integer(c_int) function mpsolve_preconditioner(s, apply, transposed, data) bind(c)
      import :: c_int, c_ptr, c_funptr
      type(c_ptr), value :: s, data
      type(c_funptr), value :: apply, transposed
    end function
    ! f is c_funloc of an mpsolve_iteration of mpsolve.h
    integer(c_int) function mpsolve_monitor(s, f, data) bind(c)
      import :: c_int, c_ptr, c_funptr
      type(c_ptr), value :: s, data
      type(c_funptr), value :: f
    end function
    integer(c_int) function mpsolve_update(s, val) bind(c)
      import :: c_int, c_double, c_ptr
      type(c_ptr), value :: s
      real(c_double), intent(in) :: val(*)
    end function
    integer(c_int) function mpsolve_setup(s) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: s
    end function
    ! guess is c_loc of initial guesses, which may be x, or c_null_ptr
    integer(c_int) function mpsolve_solve(s, count, b, guess, x) bind(c)
      import :: c_int, c_int64_t, c_double, c_ptr
      type(c_ptr), value :: s, guess
      integer(c_int64_t), value :: count
      real(c_double), intent(in) :: b(*)
      real(c_double), intent(inout) :: x(*)
    end function
    subroutine mpsolve_interrupt(s) bind(c)
      import :: c_ptr
      type(c_ptr), value :: s
    end subroutine
    type(c_ptr) function mpsolve_report_c(s) bind(c, name='mpsolve_report')
      import :: c_ptr
      type(c_ptr), value :: s
    end function
    type(c_ptr) function mpsolve_error_c(s) bind(c, name='mpsolve_error')
      import :: c_ptr
      type(c_ptr), value :: s
    end function
    type(c_ptr) function mpsolve_message_c(code) bind(c, name='mpsolve_message')
      import :: c_int, c_ptr
      integer(c_int), value :: code
    end function
    type(c_ptr) function mpsolve_version_c() bind(c, name='mpsolve_version')
      import :: c_ptr
    end function
    integer(c_size_t) function string_length(text) bind(c, name='strlen')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
    end function
  end interface

  private :: string

contains

  integer(c_int) function mpsolve_set(s, name, value)
    type(c_ptr), intent(in) :: s
    character(len=*), intent(in) :: name, value
    mpsolve_set = mpsolve_set_c(s, trim(name)//c_null_char, trim(value)//c_null_char)
  end function

  function mpsolve_report(s) result(text)
    type(c_ptr), intent(in) :: s
    character(len=:), allocatable :: text
    text = string(mpsolve_report_c(s))
  end function

  function mpsolve_error(s) result(text)
    type(c_ptr), intent(in) :: s
    character(len=:), allocatable :: text
    text = string(mpsolve_error_c(s))
  end function

  function mpsolve_message(code) result(text)
    integer(c_int), intent(in) :: code
    character(len=:), allocatable :: text
    text = string(mpsolve_message_c(code))
  end function

  function mpsolve_version() result(text)
    character(len=:), allocatable :: text
    text = string(mpsolve_version_c())
  end function

  function string(from) result(text)
    type(c_ptr), intent(in) :: from
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: k
    call c_f_pointer(from, letters, [string_length(from)])
    allocate (character(len=size(letters)) :: text)
    do k = 1, size(letters)
      text(k:k) = letters(k)
    end do
  end function

end module

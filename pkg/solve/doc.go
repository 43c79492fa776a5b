// Package solve takes a sparse system A x = b to a verified answer: it looks at
// the matrix, picks scaling and method by stated rules, runs the method inside
// iterative refinement, and measures the result against A, x and b with
// arithmetic of its own.
//
//	s, err := solve.New(ctx, matrix, solve.Options{})
//	defer s.Close()
//	result, err := s.Solve(ctx, b, nil)
//	fmt.Println(result.Reason, result.Errors.Row)
//
// A result says Converged only if package verify, which shares no code with the
// solvers, finds the error within the tolerance. Not converging is no error:
// the result holds the best x found and the reason. Errors are systems that
// cannot be solved as given ([InputError]), too little memory ([ErrMemory]) and
// misuse.
package solve

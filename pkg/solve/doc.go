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
// solvers, finds the error within the tolerance and that x explains b, block by block of
// unknowns that matter to each other (verify.Judgement). The solve goes on where it does not;
// where that does not help, A is Singular, or the system Inconsistent, with [Evidence].
// [Digits] says how many digits of x can be believed; x is improved as far as that is
// cheap, or to Options.Digits. docs/accuracy.md has the rules.
//
// Not converging is no error: the result holds the reason, advice, and the best x found,
// which is never worse than zero. Errors are systems that
// cannot be solved as given ([InputError]), too little memory ([ErrMemory]) and
// misuse.
package solve

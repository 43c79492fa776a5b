// Package solve has the options and results of solves of sparse systems A x = b; package mpsolve solves. A solve examines the matrix,
// chooses scaling, method and preconditioner by stated rules, runs the method inside iterative refinement, and judges x against A and
// b with arithmetic of its own.
//
//	s, err := mpsolve.New(ctx, matrix, solve.Options{})
//	defer s.Close()
//	result, err := s.Solve(ctx, b, nil)
//	fmt.Println(result.Reason, result.Errors.Row)
//
// A result says Converged only if package verify, which shares no code with the solvers, finds that the error is within the
// tolerance, and that x explains b in each block of unknowns that matter to each other (verify.Judgement). If x does not explain b, the
// solve goes on. If that does not help, A is Singular, or the system is Inconsistent, with [Evidence]. [Digits] says how many digits
// of x can be believed. The solve improves x as far as that is cheap, or up to Options.Digits. docs/accuracy.md has the rules.
//
// A solve that does not converge returns no error: the result has the reason, advice, and the best x found, which is never worse
// than zero. [Result.Err] makes an error of it. Errors are for systems that cannot be solved as given ([InputError]), for too little
// memory ([ErrMemory]), and for misuse.
package solve

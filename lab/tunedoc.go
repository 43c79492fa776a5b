// Tuning finds the method, preconditioner, precision and layout that take the least time for a system, by solving it.
//
// [TuneSearch] begins with what the rules of package solve choose. While its time lasts it then tries, in this order:
// methods with preconditioners, the most promising by the estimates of package solve first; precisions of the stored
// matrix for the fastest of these pairs; layouts for the fastest of those. A trial is a whole solve, from the matrix
// as given to the verdict, and is stopped when it takes some times as long as the fastest trial before it. At the end
// the fastest settings and the defaults run in turns, and the least time of each counts. Only solves that converge by
// the verdict of package verify count.
package lab

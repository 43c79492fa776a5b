// Package tune finds out by solving which method, preconditioner, precision and layout take the least time for a system.
//
// [Search] begins with what the rules of package solve choose. Then it tries, in this order and while its time lasts: methods
// with preconditioners, the most promising by solve's estimates first; precisions of the stored matrix for the fastest of
// them; layouts for the fastest of those. A trial is a whole solve, from the matrix as given to the verdict, and ends when it has
// taken some times as long as the fastest before it. In the end the fastest ones and the defaults take turns, and the least time of each
// counts. Only what converged counts, by the verdict of package verify.
package lab

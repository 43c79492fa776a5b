// The stress tests attack the solver with systems that are meant to break it. They judge every solution by arithmetic
// that shares nothing with the solver: sums of products of float64 without any rounding (math/big.Int), fraction-free
// elimination in whole numbers for small systems, and elimination with 512 bits for larger ones. The judge uses
// neither pkg/verify nor the solvers.
//
// StressClasses lists the classes of systems and of injected faults. A case is a class and a number: it draws the
// system and the options from a random source that depends on the class, the number and the seed alone, so that every
// case can be repeated by itself.
//
// judge.go states what every case must satisfy.
package lab

// Package supervise turns the death of Go's runtime for want of memory into one line and
// exit code 1, where the limits of the process (ulimit -v, ulimit -d) make it likely.
//
// The runtime cannot return an error when the system refuses it memory or a thread: it
// prints its state and ends. So, under such a limit and on Linux, in a build with cgo, a
// constructor in C forks before the runtime starts. The child is the program. The parent
// waits, passes signals on and ends as the child did, unless the child's runtime died of
// that cause. Without a limit nothing happens.
package supervise

package cli

import "os"

// Supervision turns the end of Go's runtime for want of memory into one line and
// exit code 1, where the limits of the process (ulimit -v, ulimit -d) make it likely.
//
// The runtime cannot return an error when the system refuses it memory or a thread: it
// prints its state and ends. So, under such a limit and on Linux, in a build with cgo, a
// constructor in C forks before the runtime starts. The child is the program. The parent
// waits, passes signals on and ends as the child did, unless the child's runtime died of
// that cause. Without a limit nothing happens, nor in a library (libmpsolve), whose program is another one.

// explained is a line that the parent does not print; it prints no line of its own after it.
const explained = "\x00explained\x00"

// runtimes is descriptor 2 of the child, which leads to the parent; nil in other processes.
var runtimes *os.File

// Explained tells the parent that the process has said why it ends, should its runtime want
// memory once more before it does.
func Explained() {
	if runtimes != nil {
		runtimes.WriteString(explained)
	}
}

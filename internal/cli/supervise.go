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

// explained stands before the text of explain, which ends with a zero.
const explained = "\x00explained\x00"

// runtimes is descriptor 2 of the child, which leads to the parent; nil in other processes.
var runtimes *os.File

// explain lets the parent print the text that says why the process ends. It reports whether there is a parent. The parent prints
// the text once, also if the runtime wants memory once more before the process ends: then it prints no line of its own.
func explain(text string) bool {
	if runtimes == nil {
		return false
	}
	_, err := runtimes.WriteString(explained + text + "\x00") // at once, as a pipe takes up to 4096 bytes
	return err == nil
}

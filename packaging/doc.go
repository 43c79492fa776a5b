// Package packaging holds no code: how mpsolve gets to users, and a test of it.
package packaging

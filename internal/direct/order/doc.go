// Package order finds orders in which complete factors of sparse matrices fill little, and counts what elimination
// takes in an order, from patterns alone.
package order

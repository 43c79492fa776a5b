// Command sequence shows two sequences of systems: in one the matrix changes, in the other the right-hand side.
//
//	go run ./examples/sequence heat
//	go run ./examples/sequence circuit -bits 6
package main

import "os"

func main() {
	name := ""
	if len(os.Args) > 1 {
		name = os.Args[1]
		os.Args = append(os.Args[:1], os.Args[2:]...)
	}
	switch name {
	case "heat":
		heatMain()
	case "circuit":
		circuitMain()
	default:
		os.Stderr.WriteString("want heat or circuit\n")
		os.Exit(2)
	}
}

// Command sequence shows three sequences of systems: in heat the matrix changes, in circuit the right-hand side, and service gets the
// right-hand sides of one matrix over HTTP.
//
//	go run ./examples/sequence heat
//	go run ./examples/sequence circuit -bits 6
//	go run ./examples/sequence service -listen localhost:8080 matrix.mtx
//	curl -d '[1, 2, 3, 4]' localhost:8080/solve
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
	case "service":
		serviceMain()
	default:
		os.Stderr.WriteString("want heat, circuit or service\n")
		os.Exit(2)
	}
}

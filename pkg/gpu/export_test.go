package gpu

// For tests that need pkg/solve, which imports this package.
var (
	EachDevice = eachDevice
	OpenPTX    = ptx
	OpenAMD    = amd
)

package machine

// Environment is where and with what a measurement was made.
type Environment struct {
	Processor   string `json:"processor"`
	Kernels     string `json:"kernels"` // tier of vector instructions
	Cores       int    `json:"cores"`
	LLCBytes    int64  `json:"llc_bytes"`
	MemoryBytes int64  `json:"memory_bytes"`
	OS          string `json:"os"`
	Arch        string `json:"arch"`
	Go          string `json:"go"`
	Version     string `json:"version"`
	Commit      string `json:"commit"`
}

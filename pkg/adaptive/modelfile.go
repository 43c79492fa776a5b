package adaptive

import (
	"encoding/json"
	"errors"
	"fmt"
)

// A Constant is one of the numbers of a Model.
type Constant struct {
	Name, Unit string
	Value      float64
}

// Constants lists the numbers of a model.
func (m *Model) Constants() (list []Constant) {
	for k, t := range m.times {
		list = append(list, Constant{workNames[k], "ns", t})
	}
	return append(list,
		Constant{"memory", "bytes per ns", m.Rates.Memory}, Constant{"shared cache", "bytes per ns", m.Rates.Cache},
		Constant{"a core's cache", "KiB", float64(m.Sizes.Near) / 1024}, Constant{"shared cache", "KiB", float64(m.Sizes.Shared) / 1024})
}

// modelFile is a Model in JSON.
type modelFile struct {
	Name    string             `json:"name"`
	Kernels string             `json:"kernels"`
	Times   map[string]float64 `json:"ns"`
	Rates   struct {
		Memory float64 `json:"memory"`
		Cache  float64 `json:"cache"`
	} `json:"bytes_per_ns"`
	Sizes struct {
		Near   int64 `json:"core"`
		Shared int64 `json:"shared"`
	} `json:"cache_bytes"`
}

// MarshalJSON writes the model; the times are called by the kinds of work.
func (m *Model) MarshalJSON() ([]byte, error) {
	f := modelFile{Name: m.Name, Kernels: m.Kernels, Times: map[string]float64{}}
	for k, t := range m.times {
		f.Times[workNames[k]] = t
	}
	f.Rates.Memory, f.Rates.Cache = m.Rates.Memory, m.Rates.Cache
	f.Sizes.Near, f.Sizes.Shared = m.Sizes.Near, m.Sizes.Shared
	return json.Marshal(f)
}

// UnmarshalJSON reads a model. It is an error if a time, a rate or a size is missing or not
// positive.
func (m *Model) UnmarshalJSON(data []byte) error {
	var f modelFile
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	*m = Model{Name: f.Name, Kernels: f.Kernels, Rates: Rates{f.Rates.Memory, f.Rates.Cache}, Sizes: Sizes{f.Sizes.Near, f.Sizes.Shared}}
	for k, name := range workNames {
		if m.times[k] = f.Times[name]; !(m.times[k] > 0) {
			return fmt.Errorf("adaptive: the model has no time of %q", name)
		}
	}
	if !(m.Rates.Memory > 0 && m.Rates.Cache > 0 && m.Sizes.Near > 0 && m.Sizes.Shared >= m.Sizes.Near) {
		return errors.New("adaptive: the rates and cache sizes of the model are not positive")
	}
	return nil
}

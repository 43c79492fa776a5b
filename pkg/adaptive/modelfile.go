package adaptive

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Sizes returns the sizes of caches that m is for.
func (m *Model) Sizes() Sizes { return m.sizes }

// WithRates returns m with these rates, to two digits.
func (m *Model) WithRates(r Rates) *Model {
	with := *m
	with.rates = Rates{twoDigits(r.Memory), twoDigits(r.Cache)}
	return &with
}

// WithSizes returns m with these sizes of caches.
func (m *Model) WithSizes(s Sizes) *Model {
	with := *m
	with.sizes = s
	return &with
}

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
		Constant{"memory", "bytes per ns", m.rates.Memory}, Constant{"shared cache", "bytes per ns", m.rates.Cache},
		Constant{"a core's cache", "bytes", float64(m.sizes.Near)}, Constant{"shared cache", "bytes", float64(m.sizes.Shared)})
}

// modelFile is a Model in JSON.
type modelFile struct {
	Name  string             `json:"name"`
	Times map[string]float64 `json:"ns"`
	Rates struct {
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
	f := modelFile{Name: m.Name, Times: map[string]float64{}}
	for k, t := range m.times {
		f.Times[workNames[k]] = t
	}
	f.Rates.Memory, f.Rates.Cache = m.rates.Memory, m.rates.Cache
	f.Sizes.Near, f.Sizes.Shared = m.sizes.Near, m.sizes.Shared
	return json.Marshal(f)
}

// UnmarshalJSON reads a model. It is an error if a time, a rate or a size is missing or not
// positive.
func (m *Model) UnmarshalJSON(data []byte) error {
	var f modelFile
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	*m = Model{Name: f.Name, rates: Rates{f.Rates.Memory, f.Rates.Cache}, sizes: Sizes{f.Sizes.Near, f.Sizes.Shared}}
	for k, name := range workNames {
		if m.times[k] = f.Times[name]; !(m.times[k] > 0) {
			return fmt.Errorf("adaptive: the model has no time of %q", name)
		}
	}
	if !(m.rates.Memory > 0 && m.rates.Cache > 0 && m.sizes.Near > 0 && m.sizes.Shared >= m.sizes.Near) {
		return errors.New("adaptive: the rates and cache sizes of the model are not positive")
	}
	return nil
}

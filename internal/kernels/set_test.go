package kernels

import (
	"reflect"
	"testing"
)

// Every set has every kernel, so that none is called that is not there.
func TestSetsAreComplete(t *testing.T) {
	for _, k := range Sets() {
		kernelsOf(k, func(name string, kernel reflect.Value) {
			if kernel.IsNil() {
				t.Errorf("%s has no %s", k, name)
			}
		})
	}
}

// kernelsOf visits the kernels of a set: its fields that are functions, and those of its structs.
func kernelsOf(k *Set, visit func(name string, kernel reflect.Value)) {
	var walk func(path string, v reflect.Value)
	walk = func(path string, v reflect.Value) {
		for i := range v.NumField() {
			name, f := path+v.Type().Field(i).Name, v.Field(i)
			switch f.Kind() {
			case reflect.Func:
				visit(name, f)
			case reflect.Struct:
				walk(name+".", f)
			}
		}
	}
	walk("", reflect.ValueOf(k).Elem())
}

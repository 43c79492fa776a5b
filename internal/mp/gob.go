package mp

import (
	"bytes"
	"encoding/gob"
	"errors"
	"slices"
)

// stored is a Vec for encoding/gob.
type stored struct {
	Bits int
	Exp  []int32
	Neg  []bool
	Mant []uint64
}

// GobEncode is for encoding/gob: checkpoints and messages between ranks have vectors.
func (v *Vec) GobEncode() ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(stored{v.bits, v.exp, v.neg, v.mant})
	return b.Bytes(), err
}

// GobDecode is the inverse of GobEncode. What no Vec encodes is an error.
func (v *Vec) GobDecode(b []byte) error {
	var s stored
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(&s); err != nil {
		return err
	}
	if err := CheckBits(s.Bits); err != nil {
		return err
	}
	words := wordsOf(s.Bits)
	if len(s.Neg) != len(s.Exp) || len(s.Mant) != len(s.Exp)*words {
		return errors.New("mp: the parts of a vector differ in length")
	}
	for i := range s.Exp {
		m := s.Mant[i*words : (i+1)*words]
		if m[words-1]>>63 == 0 && slices.ContainsFunc(m, func(w uint64) bool { return w != 0 }) {
			return errors.New("mp: a number is not normalised")
		}
	}
	v.bits, v.words, v.exp, v.neg, v.mant = s.Bits, words, s.Exp, s.Neg, s.Mant
	return nil
}

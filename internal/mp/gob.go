package mp

import (
	"bytes"
	"encoding/gob"
	"errors"
	"slices"
)

// stored is the form of a Vec for encoding/gob.
type stored struct {
	Bits int
	Exp  []int32
	Neg  []bool
	Mant []uint64
}

// GobEncode implements gob.GobEncoder: checkpoints and messages between ranks contain vectors.
func (v *Vec) GobEncode() ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(stored{v.bits, v.exp, v.neg, v.mant})
	return b.Bytes(), err
}

// GobDecode is the inverse of GobEncode. It returns an error for bytes that no Vec encodes to.
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

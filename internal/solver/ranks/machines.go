package ranks

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mpsolve/mpsolve/internal/dist"
	"github.com/mpsolve/mpsolve/internal/kernels"
	"github.com/mpsolve/mpsolve/pkg/adaptive"
	"github.com/mpsolve/mpsolve/pkg/solve"
)

// AgreeMemory sets the memory limit to the limit of rank 0. Collective.
func AgreeMemory(c dist.Comm, limit *int64) {
	own := []int64{*limit}
	*limit = dist.Numbers[int64](dist.Share(c, 0, dist.Bytes(own)))[0]
}

// AgreeMachine makes ranks on processors of several kinds store the matrix alike. It sets t.Kernels to the best kernels of rank 0
// that every rank would accept, and t.Model to rank 0's model of them. differ reports whether any rank would have taken other kernels.
// Collective.
func AgreeMachine(c dist.Comm, t *solve.Storage) (differ bool, err error) {
	if c.Size() == 1 {
		return false, nil
	}
	own := kernels.Find(t.Kernels).Or()
	var names []string
	for _, k := range kernels.Sets() {
		if names = append(names, k.String()); k.String() == own.String() {
			break
		}
	}
	var common []string
	for r, b := range c.Gather([]byte(strings.Join(names, " "))) {
		has := strings.Fields(string(b))
		if r == 0 {
			common = has
		}
		differ = differ || !slices.Equal(has, common)
		common = slices.DeleteFunc(common, func(name string) bool { return !slices.Contains(has, name) })
	}
	if len(common) == 0 { // programs of several builds
		return differ, fmt.Errorf("solve: the ranks have no kernels in common")
	}
	if t.Kernels = common[len(common)-1]; t.Kernels != own.String() || t.Model == nil {
		t.Model = adaptive.ModelOf(kernels.Find(t.Kernels))
	}
	text, err := json.Marshal(t.Model)
	if text = dist.Share(c, 0, text); c.Rank() > 0 {
		t.Model = new(adaptive.Model)
		err = json.Unmarshal(text, t.Model)
	}
	return differ, AgreeError(c, err)
}

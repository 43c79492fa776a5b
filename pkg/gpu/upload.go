package gpu

import "unsafe"

// stagingWords is the size of a staging buffer, enough to hide the start of a copy; a
// variable for tests.
var stagingWords = 2 << 20

// staged is the event of the copy from the first staging buffer, and the next one of that
// from the second.
const staged = 1

// uploader makes a buffer of words that come bit by bit, of which nobody knows how many
// there will be. Words gather in one of two staging buffers while the other is copied.
type uploader struct {
	d        *Device
	staging  [2][]uint32
	under    [2]bool // a copy from it may be under way
	now, n   int     // the staging buffer to fill, and words in it
	to       buffer
	sent     int64 // words
	expected int64 // words in all, by the last estimate
}

// newUploader returns an uploader of not more than so many words, roughly.
func newUploader(d *Device, most int64) *uploader {
	u := &uploader{d: d}
	words := int(min(max(most, 1024), int64(stagingWords)))
	for k := range u.staging {
		if d.err != nil {
			break
		}
		host, err := d.drv.allocHost(4 * int64(words))
		if d.note("taking memory of the host", err); err == nil {
			u.staging[k] = unsafe.Slice((*uint32)(host), words)
		}
	}
	return u
}

// write appends words.
func (u *uploader) write(words []uint32) {
	for len(words) > 0 && u.d.err == nil {
		k := copy(u.staging[u.now][u.n:], words)
		words, u.n = words[k:], u.n+k
		if u.n == len(u.staging[u.now]) {
			u.flush()
		}
	}
}

// flush begins to copy what is in the staging buffer, and waits until the other one is free.
func (u *uploader) flush() {
	d := u.d
	if u.n == 0 || d.err != nil {
		return
	}
	if need := u.sent + int64(u.n); 4*need > u.to.bytes {
		u.move(max(need, u.expected))
	}
	if d.err != nil {
		return
	}
	d.note("copying to the device", d.drv.upload(u.to.handle, 4*u.sent, unsafe.Pointer(unsafe.SliceData(u.staging[u.now])), 4*int64(u.n), true))
	if d.err == nil {
		d.note("marking an event", d.drv.record(staged+u.now))
	}
	u.under[u.now] = true
	u.sent += int64(u.n)
	u.now, u.n = 1-u.now, 0
	if u.under[u.now] && d.err == nil {
		d.note("waiting for the device", d.drv.wait(staged+u.now))
	}
}

// move gives the words that have been sent a buffer of another size. They go by way of the
// host if the device has no room for both.
func (u *uploader) move(words int64) {
	d := u.d
	if u.sent == 0 {
		u.to = d.alloc(4 * words)
		return
	}
	to, err := d.tryAlloc(4 * words)
	if err != nil {
		host := make([]uint32, u.sent)
		download(d, host, u.to)
		d.release(&u.to)
		u.to = d.alloc(4 * words)
		upload(d, u.to, 0, host)
		return
	}
	d.note("copying a matrix", d.drv.copy(to.handle, u.to.handle, 4*u.sent))
	_ = d.Wait()
	d.release(&u.to)
	u.to = to
}

// finish returns the buffer, which has no more than a 64th to spare, and gives back
// the staging buffers.
func (u *uploader) finish() buffer {
	u.flush()
	if used := 4 * u.sent; u.d.err == nil && u.to.bytes-used > used/64+64 {
		u.move(u.sent)
	}
	_ = u.d.Wait()
	for _, s := range u.staging {
		if s != nil {
			u.d.drv.releaseHost(unsafe.Pointer(unsafe.SliceData(s)))
		}
	}
	return u.to
}

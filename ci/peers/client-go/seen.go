package main

import (
	"strconv"

	"k8s.io/apimachinery/pkg/api/meta"
)

// settleSeen makes `seen` the same in every run. While a handler hears of the first of several changes that came
// at once, the informer's other goroutines may or may not have stored the next ones: what the store holds is that
// version or any later one. Such a later one is told as the version itself; an older one, or nothing although
// nobody has deleted it, is a finding and stays.
func (i *informer) settleSeen(o *output) {
	told := ""
	if o.RV != nil {
		told = *o.RV
	}
	own := told
	if o.Ev == "delete" {
		own = ""
	}
	if o.Seen == own {
		return
	}
	if o.Seen != "" {
		if newer(o.Seen, told) {
			o.Seen = own
		}
		return
	}
	// It is gone: fine when that was a later change, as the store at rest shows.
	if i.stored(o.Key) != told {
		o.Seen = own
	}
}

// stored is the version that the store holds for the key, or nothing.
func (i *informer) stored(key string) string {
	obj, ok, _ := i.shared.GetStore().GetByKey(key)
	if !ok {
		return ""
	}
	m, err := meta.Accessor(obj)
	if err != nil {
		return ""
	}
	return m.GetResourceVersion()
}

// newer compares versions; of those that are no numbers nobody knows.
func newer(a, b string) bool {
	x, errX := strconv.ParseUint(a, 10, 64)
	y, errY := strconv.ParseUint(b, 10, 64)
	return errX != nil || errY != nil || x > y
}

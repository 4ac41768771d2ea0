//go:build sorted

package main

import "k8s.io/client-go/tools/cache"

// order: built against a copy of client-go whose store is iterated by ascending key.
const order = "order:sorted"

// setPageSize is for the informer that starts next; the copy's shared informers read it when they run.
func setPageSize(n int64) bool {
	cache.PeerPageSize = n
	return true
}

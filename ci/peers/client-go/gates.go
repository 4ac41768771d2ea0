package main

import (
	"context"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/features"
)

// gates answers client-go's questions. Each informer starts with its own: an informer asks while it starts, and
// nobody else does then.
type gates struct {
	rest features.Gates
	now  map[string]bool
}

func newGates() *gates {
	g := &gates{rest: features.FeatureGates(), now: map[string]bool{}}
	// That the gates are replaced after somebody has asked is no news.
	utilruntime.ErrorHandlers = []utilruntime.ErrorHandler{func(context.Context, error, string, ...interface{}) {}}
	features.ReplaceFeatureGates(g)
	return g
}

func (g *gates) Enabled(name features.Feature) bool {
	if on, ok := g.now[string(name)]; ok {
		return on
	}
	return g.rest.Enabled(name)
}

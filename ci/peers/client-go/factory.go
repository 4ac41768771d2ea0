package main

import (
	"context"
	"errors"
	"fmt"
	"path"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// factory is a SharedInformerFactory of several informers of the harness, with one client. It starts them,
// waits for their caches and is shut down as programs do it.
type factory struct {
	informers.SharedInformerFactory
	name    string
	ctx     context.Context
	cancel  context.CancelFunc
	names   map[string]string // resource: the informer that the harness knows
	waiting bool
}

// fromFactory takes an informer from the factory of that name; the first start makes it. The namespace, the
// selectors and the period of the first start are those of all.
func (p *peer) fromFactory(op *operation) (*factory, cache.SharedIndexInformer, error) {
	if op.Mode != "" && op.Mode != "typed" {
		return nil, nil, errors.New("factory: only typed informers come from one")
	}
	f, ok := p.factories[op.Factory]
	if !ok {
		f = &factory{name: op.Factory, names: map[string]string{}}
		made, err := newFactory(op, &transport{tell: p.tell, shared: p.exchanges,
			nameOf: func(url string) string { return f.names[path.Base(url)] }})
		if err != nil {
			return nil, nil, err
		}
		f.SharedInformerFactory = made
		f.ctx, f.cancel = context.WithCancel(context.Background())
		p.factories[op.Factory] = f
	}
	if f.names[op.Resource.Resource] != "" {
		return nil, nil, fmt.Errorf("factory: it has one informer of %s already", op.Resource.Resource)
	}
	generic, err := f.ForResource(gvrOf(op))
	if err != nil {
		return nil, nil, err
	}
	f.names[op.Resource.Resource] = op.Informer
	return f, generic.Informer(), nil
}

// run starts what has not been started, and tells once all caches have synced.
func (f *factory) run(tell func(output)) {
	f.StartWithContext(f.ctx)
	if f.waiting {
		return
	}
	f.waiting = true
	go func() {
		if f.WaitForCacheSyncWithContext(f.ctx).Err == nil {
			tell(output{Ev: "synced", Factory: f.name})
		}
	}()
}

// stop tells once everything that the factory has started has ended.
func (f *factory) stop(tell func(output)) {
	f.cancel()
	go func() {
		f.Shutdown()
		tell(output{Ev: "exit", Factory: f.name})
	}()
}

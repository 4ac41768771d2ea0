package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// informer is one shared informer of the harness's scenario.
type informer struct {
	peer     *peer
	name     string
	shared   cache.SharedIndexInformer
	factory  *factory // nil: it runs by itself
	handlers map[string]cache.ResourceEventHandlerRegistration
	cancel   context.CancelFunc
	lastRV   string
}

func configOf(t *transport) *rest.Config {
	return &rest.Config{Host: "http://server", Transport: t, QPS: -1, UserAgent: "relist-peer",
		ContentConfig: rest.ContentConfig{ContentType: "application/json", AcceptContentTypes: "application/json"}}
}

func gvrOf(op *operation) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: op.Resource.Group, Version: op.Resource.Version,
		Resource: op.Resource.Resource}
}

func tweakOf(op *operation) func(*metav1.ListOptions) {
	labels, fields := op.LabelSelector, op.FieldSelector
	return func(o *metav1.ListOptions) { o.LabelSelector, o.FieldSelector = labels, fields }
}

func newFactory(op *operation, t *transport) (informers.SharedInformerFactory, error) {
	client, err := kubernetes.NewForConfig(configOf(t))
	if err != nil {
		return nil, err
	}
	return informers.NewSharedInformerFactoryWithOptions(client, time.Duration(op.ResyncNs),
		informers.WithNamespace(op.Namespace), informers.WithTweakListOptions(tweakOf(op))), nil
}

func (p *peer) newShared(op *operation, t *transport) (cache.SharedIndexInformer, error) {
	resync := time.Duration(op.ResyncNs)
	switch op.Mode {
	case "", "typed":
		factory, err := newFactory(op, t)
		if err != nil {
			return nil, err
		}
		generic, err := factory.ForResource(gvrOf(op))
		if err != nil {
			return nil, err
		}
		return generic.Informer(), nil
	case "dynamic":
		client, err := dynamic.NewForConfig(configOf(t))
		if err != nil {
			return nil, err
		}
		return dynamicinformer.NewFilteredDynamicInformer(client, gvrOf(op), op.Namespace, resync,
			cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}, tweakOf(op)).Informer(), nil
	case "metadata":
		client, err := metadata.NewForConfig(configOf(t))
		if err != nil {
			return nil, err
		}
		return metadatainformer.NewFilteredMetadataInformer(client, gvrOf(op), op.Namespace, resync,
			cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}, tweakOf(op)).Informer(), nil
	}
	return nil, fmt.Errorf("mode %q: want typed, dynamic or metadata", op.Mode)
}

func (p *peer) start(op *operation) (*informer, error) {
	if op.PageSize != 0 && !setPageSize(0) {
		return nil, errors.New("page_size: a stock shared informer cannot set it")
	}
	i := &informer{peer: p, name: op.Informer, handlers: map[string]cache.ResourceEventHandlerRegistration{}}
	var shared cache.SharedIndexInformer
	var err error
	if op.Factory != "" {
		i.factory, shared, err = p.fromFactory(op)
	} else {
		shared, err = p.newShared(op, &transport{tell: p.tell, informer: op.Informer, shared: p.exchanges})
	}
	if err != nil {
		return nil, err
	}
	i.shared = shared
	if transform := transformOf(op); transform != nil {
		if err := shared.SetTransform(transform); err != nil {
			return nil, err
		}
	}
	err = shared.SetWatchErrorHandlerWithContext(func(ctx context.Context, r *cache.Reflector, err error) {
		p.tell(output{Ev: "error", Informer: i.name, Class: classOf(err), Text: err.Error()})
		cache.DefaultWatchErrorHandler(ctx, r, err)
	})
	if err != nil {
		return nil, err
	}
	for _, h := range op.Handlers {
		if err := i.addHandler(h); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	i.cancel = cancel
	p.whenDone(shared.HasSyncedChecker().Done(), output{Ev: "synced", Informer: i.name})
	pageSize, gates := op.PageSize, op.Gates
	if i.factory != nil {
		p.toRun = append(p.toRun, func() {
			setPageSize(pageSize)
			p.gates.now = gates
			i.factory.run(p.tell)
		})
		return i, nil
	}
	p.toRun = append(p.toRun, func() {
		setPageSize(pageSize)
		p.gates.now = gates
		go func() {
			shared.RunWithContext(ctx)
			p.tell(output{Ev: "exit", Informer: i.name})
		}()
	})
	return i, nil
}

func (i *informer) addHandler(h handlerSpec) error {
	events := &recorder{informer: i, name: h.Name, slow: time.Duration(h.SlowNs)}
	var registration cache.ResourceEventHandlerRegistration
	var err error
	if h.ResyncNs == nil {
		registration, err = i.shared.AddEventHandler(events)
	} else {
		registration, err = i.shared.AddEventHandlerWithResyncPeriod(events, time.Duration(*h.ResyncNs))
	}
	if err != nil {
		return err
	}
	i.handlers[h.Name] = registration
	i.peer.whenDone(registration.HasSyncedChecker().Done(),
		output{Ev: "synced", Informer: i.name, Handler: h.Name})
	return nil
}

func (i *informer) removeHandler(name string) error {
	registration, ok := i.handlers[name]
	if !ok {
		return fmt.Errorf("no handler %q", name)
	}
	delete(i.handlers, name)
	return i.shared.RemoveEventHandler(registration)
}

// recorder is a handler that tells what it hears, and may be slow.
type recorder struct {
	informer *informer
	name     string
	slow     time.Duration
	mu       sync.Mutex
}

func (r *recorder) say(o output, obj interface{}) {
	o.Informer, o.Handler = r.informer.name, r.name
	if m, err := meta.Accessor(obj); err == nil {
		rv := m.GetResourceVersion()
		o.UID, o.RV = string(m.GetUID()), &rv
		if o.Key == "" {
			o.Key = cache.MetaObjectToName(m).String()
		}
	}
	o.Seen = r.informer.stored(o.Key)
	r.informer.peer.tell(o)
	if r.slow > 0 {
		time.Sleep(r.slow)
		r.informer.peer.tell(output{Ev: "done", Informer: o.Informer, Handler: o.Handler, Key: o.Key})
	}
}

func (r *recorder) OnAdd(obj interface{}, initial bool) {
	r.say(output{Ev: "add", Initial: initial}, obj)
}

func (r *recorder) OnUpdate(old, obj interface{}) {
	o := output{Ev: "update"}
	if m, err := meta.Accessor(old); err == nil {
		o.OldRV = m.GetResourceVersion()
	}
	r.say(o, obj)
}

func (r *recorder) OnDelete(obj interface{}) {
	if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		r.say(output{Ev: "delete", Key: tombstone.Key, Tomb: true, NoObject: tombstone.Obj == nil}, tombstone.Obj)
		return
	}
	r.say(output{Ev: "delete"}, obj)
}

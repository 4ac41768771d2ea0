package main

import (
	"errors"
	"fmt"
	"sort"
	"sync"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/tools/cache"
)

type peer struct {
	began     time.Time
	exchanges *exchanges
	gates     *gates
	informers map[string]*informer
	factories map[string]*factory
	order     []string
	toRun     []func() // informers that were started since the last advance

	mu      sync.Mutex
	out     []output
	started bool
	signal  chan struct{} // something came out
}

func newPeer() *peer {
	p := &peer{began: time.Now(), informers: map[string]*informer{},
		factories: map[string]*factory{},
		exchanges: &exchanges{open: map[int64]*exchange{}}, signal: make(chan struct{}, 1)}
	p.gates = newGates()
	report(p.tell)
	return p
}

// tell keeps an output for the next reply and wakes advance.
func (p *peer) tell(o output) {
	p.mu.Lock()
	p.out = append(p.out, o)
	p.mu.Unlock()
	select {
	case p.signal <- struct{}{}:
	default:
	}
}

// whenDone tells o once the channel is closed.
func (p *peer) whenDone(done <-chan struct{}, o output) {
	go func() {
		<-done
		p.tell(o)
	}()
}

func (p *peer) now() int64 { return int64(time.Since(p.began)) }

func (p *peer) do(op *operation) (any, error) {
	switch op.Op {
	case "start":
		return p.doStart(op)
	case "advance":
		return p.advance(op), nil
	case "stop":
		if op.Factory != "" {
			f, ok := p.factories[op.Factory]
			if !ok {
				return nil, fmt.Errorf("no factory %q", op.Factory)
			}
			f.stop(p.tell)
			return map[string]any{"ok": true}, nil
		}
		fallthrough
	case "snapshot", "handler_add", "handler_remove":
		i, ok := p.informers[op.Informer]
		if !ok {
			return nil, fmt.Errorf("no informer %q", op.Informer)
		}
		return i.do(op)
	}
	return nil, fmt.Errorf("unknown operation %q", op.Op)
}

func (p *peer) doStart(op *operation) (any, error) {
	if old, ok := p.informers[op.Informer]; ok && !old.shared.IsStopped() {
		return nil, errors.New("an informer of that name runs")
	}
	if !p.started {
		source, err := newSource(op.Draw, p.tell)
		if err != nil {
			return nil, err
		}
		source.install()
		p.started = true
	}
	p.gates.now = op.Gates
	i, err := p.start(op)
	if err != nil {
		return nil, err
	}
	if p.informers[op.Informer] == nil {
		p.order = append(p.order, op.Informer)
	}
	p.informers[op.Informer] = i
	answer := hello{Client: "client-go", Version: "v0.36.2", Language: "go",
		TimerGranularityNs: 1, Capabilities: []string{"initial", "tombstone", "resync", "slow", "handlers",
			"gates", "transform", "namespace", "selectors", "typed", "dynamic", "metadata", "draws", "factory",
			order}}
	if setPageSize(0) {
		answer.Capabilities = append(answer.Capabilities, "page_size")
	}
	return map[string]any{"hello": answer}, nil
}

// take empties the outputs; the last versions are looked up when all is at rest.
func (p *peer) take() []output {
	for _, name := range p.order {
		i := p.informers[name]
		if rv := i.shared.LastSyncResourceVersion(); rv != i.lastRV {
			i.lastRV = rv
			p.tell(output{Ev: "last_rv", Informer: name, RV: &rv})
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.out
	p.out = nil
	for n := range out {
		if e := out[n].Ev; e == "add" || e == "update" || e == "delete" {
			p.informers[out[n].Informer].settleSeen(&out[n])
		}
		if out[n].Informer == "" && out[n].Factory == "" && len(p.order) == 1 {
			out[n].Informer = p.order[0]
		}
	}
	// Goroutines of one instant race; the order inside each stream is theirs, that of the streams is ours.
	sort.SliceStable(out, func(a, b int) bool {
		if out[a].Factory != out[b].Factory {
			return out[a].Factory < out[b].Factory
		}
		if out[a].Informer != out[b].Informer {
			return p.place(out[a].Informer) < p.place(out[b].Informer)
		}
		x, y := stream(&out[a]), stream(&out[b])
		if x != y {
			return x < y
		}
		return out[a].Handler < out[b].Handler
	})
	select {
	case <-p.signal:
	default:
	}
	return out
}

func (p *peer) place(informer string) int {
	for n, name := range p.order {
		if name == informer {
			return n
		}
	}
	return -1
}

// stream ranks what an informer's goroutines say: the reflector, the informer itself, handlers, their syncs.
func stream(o *output) int {
	switch {
	case o.Ev == "exit":
		return 5
	case o.Ev == "synced" && o.Handler != "":
		return 4
	case o.Handler != "":
		return 3
	case o.Ev == "synced":
		return 2
	case o.Ev == "last_rv":
		return 1
	}
	return 0
}

// advance lets time run to the first output or to op.ToNs. Due timers have fired when it begins: the clock
// reached this instant in the call before.
func (p *peer) advance(op *operation) any {
	synctest.Wait()
	for _, run := range p.toRun {
		run()
		synctest.Wait() // it has read its gates and page size, which are the process's
	}
	p.toRun = nil
	for n := range op.Deliver {
		p.exchanges.deliver(&op.Deliver[n])
	}
	synctest.Wait()
	out := p.take()
	if left := op.ToNs - p.now(); len(out) == 0 && left > 0 {
		timer := time.NewTimer(time.Duration(left))
		select {
		case <-p.signal:
			timer.Stop()
		case <-timer.C:
		}
		synctest.Wait()
		out = p.take()
	}
	if out == nil {
		out = []output{}
	}
	return map[string]any{"now_ns": p.now(), "out": out}
}

func (i *informer) do(op *operation) (any, error) {
	switch op.Op {
	case "stop":
		if i.factory != nil {
			return nil, fmt.Errorf("informer %q belongs to factory %q: stop that", i.name, i.factory.name)
		}
		i.cancel()
		return map[string]any{"ok": true}, nil
	case "handler_add":
		return map[string]any{"ok": true}, i.addHandler(op.Handler)
	case "handler_remove":
		return map[string]any{"ok": true}, i.removeHandler(op.Handler.Name)
	}
	items := []item{}
	for _, obj := range i.shared.GetStore().List() {
		m, err := meta.Accessor(obj)
		if err != nil {
			return nil, err
		}
		items = append(items, item{Key: cache.MetaObjectToName(m).String(), UID: string(m.GetUID()),
			RV: m.GetResourceVersion()})
	}
	sort.Slice(items, func(a, b int) bool { return items[a].Key < items[b].Key })
	return map[string]any{"store": items, "last_rv": i.shared.LastSyncResourceVersion(),
		"synced": i.shared.HasSynced()}, nil
}

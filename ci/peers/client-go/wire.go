package main

// `client-go wire SERVER CA-FILE TOKEN typed|dynamic OBJECTS EVENTS`: a real informer over a real wire, for
// comparison in `relist bench wire`. It syncs, says so on a line of its own, waits for as many updates, and
// says what that cost.

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

func wireInformer(config *rest.Config, flavour string) (cache.SharedIndexInformer, error) {
	if flavour == "typed" {
		client, err := kubernetes.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		return informers.NewSharedInformerFactory(client, 0).Core().V1().Pods().Informer(), nil
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	pods := schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	return dynamicinformer.NewFilteredDynamicInformer(client, pods, metav1.NamespaceAll, 0,
		cache.Indexers{}, nil).Informer(), nil
}

func cpuTime() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func peakBytes() int64 {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return usage.Maxrss * 1024
}

func residentBytes() int64 {
	var total, resident int64
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	if n, _ := fmt.Sscan(string(text), &total, &resident); n != 2 {
		return 0
	}
	return resident * int64(os.Getpagesize())
}

func heapBytes() uint64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

func wire(args []string) error {
	if len(args) != 6 {
		return fmt.Errorf("wire: expected SERVER CA-FILE TOKEN typed|dynamic OBJECTS EVENTS")
	}
	objects, err := strconv.Atoi(args[4])
	if err != nil {
		return err
	}
	events, err := strconv.Atoi(args[5])
	if err != nil {
		return err
	}
	config := &rest.Config{Host: args[0], BearerToken: args[2], QPS: 1000, Burst: 1000,
		TLSClientConfig: rest.TLSClientConfig{CAFile: args[1]}}
	informer, err := wireInformer(config, args[3])
	if err != nil {
		return err
	}
	var updates atomic.Int64
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, _ interface{}) { updates.Add(1) },
	}); err != nil {
		return err
	}
	heap, resident, cpu, start := heapBytes(), residentBytes(), cpuTime(), time.Now()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go informer.RunWithContext(ctx)
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return fmt.Errorf("wire: no sync")
	}
	synced, listCPU := time.Since(start), cpuTime()-cpu
	if n := len(informer.GetStore().ListKeys()); n != objects {
		return fmt.Errorf("wire: %d objects instead of %d", n, objects)
	}
	peak, residentNow := peakBytes(), residentBytes()-resident
	held := heapBytes() - heap
	cpu, start = cpuTime(), time.Now()
	fmt.Println("synced")
	for updates.Load() < int64(events) {
		time.Sleep(time.Millisecond)
	}
	fmt.Printf("%d %d %d %d %d %d %d\n", synced.Nanoseconds(), listCPU.Nanoseconds(), held, residentNow, peak,
		time.Since(start).Nanoseconds(), (cpuTime() - cpu).Nanoseconds())
	return nil
}

func init() {
	if len(os.Args) > 1 && os.Args[1] == "wire" {
		if err := wire(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, "client-go:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

package main

// `client-go informers SERVER CA-FILE TOKEN typed|dynamic|metadata`: an informer factory of client-go against a
// server over TLS. It fills, hears of what is created, changed and deleted behind its back, and holds in the end what
// a list says. Prints one line with what happened; exit 1: not that.
// KUBE_FEATURE_WatchListClient=true|false says how it fills.

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

const (
	informersNamespace = "informers"
	informersTimeout   = 20 * time.Second
)

// asked counts what goes over the wire.
type asked struct {
	http.RoundTripper
	lists, watches, watchLists *atomic.Int64
}

func (a asked) RoundTrip(request *http.Request) (*http.Response, error) {
	query := request.URL.Query()
	if request.Method == http.MethodGet && strings.HasSuffix(request.URL.Path, "/configmaps") {
		switch {
		case query.Get("sendInitialEvents") == "true":
			a.watchLists.Add(1)
		case query.Get("watch") == "true":
			a.watches.Add(1)
		default:
			a.lists.Add(1)
		}
	}
	return a.RoundTripper.RoundTrip(request)
}

// started makes a factory of that flavour, starts it and waits until it is full.
func started(ctx context.Context, config *rest.Config, flavour string) (cache.SharedIndexInformer, error) {
	maps := corev1.SchemeGroupVersion.WithResource("configmaps")
	var informer cache.SharedIndexInformer
	var full bool
	switch flavour {
	case "typed":
		client, err := kubernetes.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(informersNamespace))
		informer = factory.Core().V1().ConfigMaps().Informer()
		factory.Start(ctx.Done())
		full = true
		for _, ok := range factory.WaitForCacheSync(ctx.Done()) {
			full = full && ok
		}
	case "dynamic":
		client, err := dynamic.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, informersNamespace, nil)
		informer = factory.ForResource(maps).Informer()
		factory.Start(ctx.Done())
		full = factory.WaitForCacheSync(ctx.Done())[maps]
	case "metadata":
		client, err := metadata.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		factory := metadatainformer.NewFilteredSharedInformerFactory(client, 0, informersNamespace, nil)
		informer = factory.ForResource(maps).Informer()
		factory.Start(ctx.Done())
		full = factory.WaitForCacheSync(ctx.Done())[maps]
	default:
		return nil, fmt.Errorf("there is no flavour %q", flavour)
	}
	if !full {
		return nil, fmt.Errorf("%s: it has not filled within %v", flavour, informersTimeout)
	}
	return informer, nil
}

// written does what the informer is to hear of: of six objects one is new, one changed, one gone.
func written(ctx context.Context, client kubernetes.Interface, name func(int) string) error {
	maps := client.CoreV1().ConfigMaps(informersNamespace)
	if _, err := maps.Create(ctx, configMap(name(5)), metav1.CreateOptions{}); err != nil {
		return err
	}
	patch := []byte(`{"metadata":{"labels":{"changed":"yes"}}}`)
	if _, err := maps.Patch(ctx, name(0), types.StrategicMergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return err
	}
	return maps.Delete(ctx, name(1), metav1.DeleteOptions{})
}

func configMap(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"a": "b"}}
}

// sameAsListed compares the store with a list, by name and version.
func sameAsListed(ctx context.Context, client kubernetes.Interface, informer cache.SharedIndexInformer) (int, error) {
	list, err := client.CoreV1().ConfigMaps(informersNamespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return 0, err
	}
	held := cache.NewGenericLister(informer.GetIndexer(), corev1.Resource("configmaps"))
	objects, err := held.ByNamespace(informersNamespace).List(labels.Everything())
	if err != nil {
		return 0, err
	}
	if len(objects) != len(list.Items) {
		return 0, fmt.Errorf("the store holds %d objects, the list has %d", len(objects), len(list.Items))
	}
	for i := range list.Items {
		listed := &list.Items[i]
		object, err := held.ByNamespace(informersNamespace).Get(listed.Name)
		if err != nil {
			return 0, err
		}
		ours, err := meta.Accessor(object)
		if err != nil {
			return 0, err
		}
		if ours.GetUID() != listed.UID || ours.GetResourceVersion() != listed.ResourceVersion {
			return 0, fmt.Errorf("%s: the store holds version %s, the list has %s", listed.Name,
				ours.GetResourceVersion(), listed.ResourceVersion)
		}
	}
	return len(objects), nil
}

func informersRun(args []string) error {
	if len(args) != 4 {
		return fmt.Errorf("informers: expected SERVER CA-FILE TOKEN typed|dynamic|metadata")
	}
	ctx, cancel := context.WithTimeout(context.Background(), informersTimeout)
	defer cancel()
	var lists, watches, watchLists, added, changed, deleted atomic.Int64
	config := &rest.Config{Host: args[0], BearerToken: args[2], QPS: 1000, Burst: 1000,
		TLSClientConfig: rest.TLSClientConfig{CAFile: args[1]}}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: informersNamespace}}
	_, _ = client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
	prefix := fmt.Sprintf("%s-%d-", args[3], os.Getpid())
	name := func(i int) string { return fmt.Sprintf("%s%d", prefix, i) }
	for i := 0; i < 5; i++ {
		if _, err := client.CoreV1().ConfigMaps(informersNamespace).Create(ctx, configMap(name(i)), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	watched := rest.CopyConfig(config)
	watched.Wrap(func(inner http.RoundTripper) http.RoundTripper {
		return asked{inner, &lists, &watches, &watchLists}
	})
	informer, err := started(ctx, watched, args[3])
	if err != nil {
		return err
	}
	ours := func(object interface{}) bool {
		key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(object)
		return err == nil && strings.HasPrefix(key, informersNamespace+"/"+prefix)
	}
	_, err = informer.AddEventHandler(cache.FilteringResourceEventHandler{FilterFunc: ours,
		Handler: cache.ResourceEventHandlerFuncs{
			AddFunc:    func(interface{}) { added.Add(1) },
			UpdateFunc: func(_, _ interface{}) { changed.Add(1) },
			DeleteFunc: func(interface{}) { deleted.Add(1) },
		}})
	if err != nil {
		return err
	}
	if err := written(ctx, client, name); err != nil {
		return err
	}
	for added.Load() != 6 || changed.Load() != 1 || deleted.Load() != 1 {
		if ctx.Err() != nil {
			return fmt.Errorf("%s: heard of %d added, %d changed, %d deleted; expected 6, 1, 1", args[3],
				added.Load(), changed.Load(), deleted.Load())
		}
		time.Sleep(5 * time.Millisecond)
	}
	held, err := sameAsListed(ctx, client, informer)
	if err != nil {
		return err
	}
	fmt.Printf("%s: 6 added, 1 changed, 1 deleted; %d held as listed; %d lists, %d watches, %d watch lists\n", args[3],
		held, lists.Load(), watches.Load(), watchLists.Load())
	return nil
}

func init() {
	if len(os.Args) < 2 || os.Args[1] != "informers" {
		return
	}
	if err := informersRun(os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "client-go:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

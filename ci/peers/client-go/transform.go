package main

import (
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/cache"
)

// transformOf makes what the harness asked for on the way into the store; nil: nothing.
func transformOf(op *operation) cache.TransformFunc {
	if !op.DropManaged && !op.DropData && op.FailOn == "" {
		return nil
	}
	return func(obj interface{}) (interface{}, error) {
		m, err := meta.Accessor(obj)
		if err != nil {
			return obj, nil
		}
		if op.FailOn != "" && cache.MetaObjectToName(m).String() == op.FailOn {
			return nil, fmt.Errorf("the transform fails for %s", op.FailOn)
		}
		if op.DropManaged && len(m.GetManagedFields()) > 0 {
			m.SetManagedFields(nil)
		}
		if op.DropData {
			dropData(obj)
		}
		return obj, nil
	}
}

func dropData(obj interface{}) {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		for _, name := range []string{"data", "binaryData", "spec", "status"} {
			delete(u.Object, name)
		}
		return
	}
	value := reflect.Indirect(reflect.ValueOf(obj))
	if value.Kind() != reflect.Struct {
		return
	}
	for _, name := range []string{"Data", "BinaryData", "Spec", "Status"} {
		if field := value.FieldByName(name); field.IsValid() && field.CanSet() {
			field.SetZero()
		}
	}
}

//go:build !sorted

package main

// order: stores are iterated as Go's maps like.
const order = "order:map"

func setPageSize(int64) bool { return false }

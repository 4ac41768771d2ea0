//go:build sorted

package main

// order: built against a copy of client-go whose store is iterated by ascending key.
const order = "order:sorted"

package main

import (
	"fmt"
	"math/bits"
	"math/rand"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	_ "unsafe" // linkname
)

// The generator behind math/rand's top-level functions, which client-go draws from. Needs
// -ldflags=-checklinkname=0.
//
//go:linkname globalRandGenerator math/rand.globalRandGenerator
var globalRandGenerator atomic.Pointer[rand.Rand]

// source hands out the draws that the harness asked for and reports each with what it was for.
type source struct {
	mu    sync.Mutex
	fixed bool
	value uint64     // const: v; splitmix64: the state
	wide  *[4]uint64 // xoshiro256**: the state
	count int
	tell  func(output)
}

func newSource(draw string, tell func(output)) (*source, error) {
	s := &source{tell: tell}
	kind, text, ok := strings.Cut(draw, ":")
	if !ok {
		return nil, fmt.Errorf("draw %q: want const:U, value:V, splitmix64:SEED or xoshiro256:A,B,C,D", draw)
	}
	switch kind {
	case "const":
		u, err := strconv.ParseFloat(text, 64)
		if err != nil || u < 0 || u >= 1 {
			return nil, fmt.Errorf("draw %q: want a number in [0, 1)", draw)
		}
		s.fixed, s.value = true, uint64(u*(1<<63))
	case "value", "splitmix64":
		v, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("draw %q: %w", draw, err)
		}
		s.fixed, s.value = kind == "value", v
	case "xoshiro256":
		words := strings.Split(text, ",")
		if len(words) != 4 {
			return nil, fmt.Errorf("draw %q: want four numbers", draw)
		}
		s.wide = new([4]uint64)
		for n := range words {
			v, err := strconv.ParseUint(words[n], 10, 64)
			if err != nil {
				return nil, fmt.Errorf("draw %q: %w", draw, err)
			}
			s.wide[n] = v
		}
	default:
		return nil, fmt.Errorf("draw %q: unknown kind", draw)
	}
	return s, nil
}

// xoshiro is one step of xoshiro256**.
func xoshiro(s *[4]uint64) uint64 {
	result := bits.RotateLeft64(s[1]*5, 7) * 9
	t := s[1] << 17
	s[2] ^= s[0]
	s[3] ^= s[1]
	s[1] ^= s[2]
	s[0] ^= s[3]
	s[2] ^= t
	s[3] = bits.RotateLeft64(s[3], 45)
	return result
}

func (s *source) Seed(int64) {}

func (s *source) Int63() int64 {
	s.mu.Lock()
	v := s.value
	if s.wide != nil {
		v = xoshiro(s.wide) >> 1
	} else if !s.fixed {
		s.value += 0x9e3779b97f4a7c15
		z := s.value
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		v = (z ^ z>>31) >> 1
	}
	s.count++
	n := s.count
	s.mu.Unlock()
	s.tell(output{Ev: "draw", N: n, V: strconv.FormatUint(v, 10), Class: purpose()})
	return int64(v)
}

// purpose tells from the callers what a draw is for.
func purpose() string {
	var pcs [24]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		frame, more := frames.Next()
		switch name := frame.Function; {
		case strings.HasSuffix(name, "(*Reflector).watchList"):
			return "watchlist-timeout"
		case strings.HasSuffix(name, "(*Reflector).watch"):
			return "watch-timeout"
		case strings.Contains(name, "/util/wait."):
			return "jitter"
		}
		if !more {
			return "other"
		}
	}
}

// install pins math/rand. PEER_UNPINNED is the control of the proof of determinism: without the pin its runs
// must differ.
func (s *source) install() {
	if os.Getenv("PEER_UNPINNED") == "" {
		globalRandGenerator.Store(rand.New(s))
	}
}

package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-logr/logr"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

// sink tells the harness what client-go logs.
type sink struct{ tell func(output) }

func (s sink) Init(logr.RuntimeInfo)                  {}
func (s sink) Enabled(level int) bool                 { return level == 0 }
func (s sink) WithValues(...interface{}) logr.LogSink { return s }
func (s sink) WithName(string) logr.LogSink           { return s }

func (s sink) Info(_ int, msg string, values ...interface{}) {
	s.say("info", msg, values)
}

func (s sink) Error(err error, msg string, values ...interface{}) {
	if err != nil {
		msg += ": " + err.Error()
	}
	s.say("error", msg, values)
}

func (s sink) say(class, msg string, values []interface{}) {
	for n := 0; n+1 < len(values); n += 2 {
		msg += fmt.Sprintf(" %v=%v", values[n], values[n+1])
	}
	s.tell(output{Ev: "log", Class: class, Text: strings.TrimSpace(msg)})
}

// report sends client-go's log and what it reports and drops to the harness. The variable's own handlers sleep
// by a clock that began before the bubble.
func report(tell func(output)) {
	s := sink{tell: tell}
	klog.SetLogger(logr.New(s))
	utilruntime.ErrorHandlers = []utilruntime.ErrorHandler{
		func(_ context.Context, err error, msg string, values ...interface{}) { s.Error(err, msg, values...) },
	}
}
